import { Box, CloseButton, Dialog, Heading, Link, Portal, Stack, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';

const topics = ['code', 'password', 'review', 'locked'] as const;

/** Answers to what goes wrong most, in place: nobody is sent elsewhere in the middle of signing in. */
export function HelpDialog() {
  const { t } = useTranslation();
  return (
    <Dialog.Root lazyMount unmountOnExit>
      <Dialog.Trigger asChild>
        <Link asChild variant="underline" color="accent.fg">
          <button type="button">{t('auth.help.act')}</button>
        </Link>
      </Dialog.Trigger>
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
