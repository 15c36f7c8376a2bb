import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { CopyIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../lib/copy';
import { toast } from '../lib/toaster';

interface Props {
  label: string;
  /** The accessible name of the button. */
  act: string;
  text: string;
  large?: boolean;
}

/** Shows a text that is told once, with a button that copies it. */
export function CopyText({ label, act, text, large = false }: Props) {
  const { t } = useTranslation();
  const copy = async () => {
    if (await copyText(text)) toast.success(t('app.copied'));
    else toast.error(t('app.copyFailed'));
  };
  return (
    <Box>
      <Text fontSize="xs" color="fg.muted">
        {label}
      </Text>
      <Flex gap="2" align="center">
        <Text
          as="output"
          flex="1"
          minW="0"
          fontFamily="mono"
          dir="ltr"
          textAlign="start"
          overflowWrap="anywhere"
          fontSize={large ? '2xl' : 'sm'}
          fontWeight={large ? '700' : '400'}
          letterSpacing={large ? '.12em' : 'normal'}
        >
          {text}
        </Text>
        <Button size="sm" variant="surface" aria-label={act} onClick={() => void copy()}>
          <CopyIcon />
        </Button>
      </Flex>
    </Box>
  );
}
