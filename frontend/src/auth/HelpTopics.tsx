import { Box, Dialog, Heading, Link, Stack, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router-dom';
import { paths } from '../lib/paths';
import { usePublicLimits } from '../lib/publicLimits';
import { ClinicLine } from '../ui/ClinicLine';
import { Modal } from '../ui/Modal';

const topics = ['code', 'password', 'review', 'locked'] as const;

interface Props {
  open: boolean;
  onClose: () => void;
  /** Returns the element that gets the focus after closing. */
  opener: () => HTMLElement | null;
}

/**
 * A dialog with answers to frequent problems. It opens over the form, so that the person does not leave the sign-in.
 */
export function HelpTopics({ open, onClose, opener }: Props) {
  const { t } = useTranslation();
  const clinic = usePublicLimits();
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
          <Link asChild variant="underline" alignSelf="start">
            <RouterLink to={paths.help}>{t('auth.help.all')}</RouterLink>
          </Link>
          <ClinicLine of={clinic} />
        </Stack>
      </Dialog.Body>
    </Modal>
  );
}
