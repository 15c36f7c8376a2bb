import { Box, Button, Stack } from '@chakra-ui/react';
import { WarningIcon } from '@phosphor-icons/react';
import { CopyText } from './CopyText';
import { Note } from './Note';

interface Props {
  /** The texts of its feature: `label` names the secret, `act` copies it, `done` closes the dialog. */
  texts: { title: string; text: string; label: string; act: string; done: string };
  secret: string;
  onDone: () => void;
}

/** Shows a secret that was made. The server never shows it again. */
export function SecretOnce({ texts, secret, onDone }: Props) {
  return (
    <Stack gap="4">
      <Note Icon={WarningIcon} tone="warning" role="status" title={texts.title}>
        {texts.text}
      </Note>
      <Box p="4" borderRadius="box" bg="bg.subtle">
        <CopyText label={texts.label} act={texts.act} text={secret} />
      </Box>
      <Button onClick={onDone}>{texts.done}</Button>
    </Stack>
  );
}
