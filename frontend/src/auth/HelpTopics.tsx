import { Box, CloseButton, Dialog, Heading, Portal, Stack, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';

const topics = ['code', 'password', 'review', 'locked'] as const;

/** Answers to what goes wrong most, in place: nobody is sent elsewhere in the middle of signing in. */
interface Props {
  open: boolean;
  onClose: () => void;
  /** Where the focus goes back to. */
  opener: () => HTMLElement | null;
}

export function HelpTopics({ open, onClose, opener }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(now) => !now.open && onClose()}
      finalFocusEl={opener}
      lazyMount
      unmountOnExit
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner>
          <Dialog.Content>
            <Dialog.Header>
              <Dialog.Title>{t('auth.help.title')}</Dialog.Title>
            </Dialog.Header>
            <Dialog.CloseTrigger asChild>
              <CloseButton aria-label={t('common.close')} variant="ghost" />
            </Dialog.CloseTrigger>
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
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}
