import { Box, Dialog, Heading, Stack, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { Modal } from '../ui/Modal';

const topics = ['code', 'password', 'review', 'locked'] as const;

interface Props {
  open: boolean;
  onClose: () => void;
  /** Where the focus goes back to. */
  opener: () => HTMLElement | null;
}

/** Answers to the most frequent problems, in a dialog: nobody has to leave the sign-in. */
export function HelpTopics({ open, onClose, opener }: Props) {
  const { t } = useTranslation();
  return (
    <Modal open={open} onClose={onClose} title={t('auth.help.title')} finalFocusEl={opener}>
      <Dialog.Body>
        <Stack gap="4">
          {topics.map((topic) => (
            <Box key={topic}>
              <Heading as="h3" fontSize="md">
                {t(`auth.help.${topic}Title`)}
              </Heading>
              <Text color="fg.muted" mt="1">
                {t(`auth.help.${topic}Text`)}
              </Text>
            </Box>
          ))}
        </Stack>
      </Dialog.Body>
    </Modal>
  );
}
