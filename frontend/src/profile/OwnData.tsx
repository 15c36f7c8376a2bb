import { Button, Flex, Text } from '@chakra-ui/react';
import { DownloadSimpleIcon, PrinterIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { useExportProfile } from './calls';

/** The download of all own data, and for a patient the list of disclosures. */
export function OwnData() {
  const { t } = useTranslation();
  const { role } = useViewer();
  const exporting = useExportProfile(t('profile.data.failed'));
  return (
    <>
      <Text fontSize="sm" color="fg.muted">
        {t('profile.data.text')}
      </Text>
      <Flex direction="column" gap="2.5" mt="4">
        <Button
          variant="outline"
          loading={exporting.isPending}
          loadingText={t('profile.data.pending')}
          onClick={() => exporting.mutate(undefined, { onSuccess: () => toast.success(t('profile.data.done')) })}
        >
          <DownloadSimpleIcon aria-hidden />
          {t('profile.data.act')}
        </Button>
        {role === 'patient' && (
          <Button asChild variant="outline">
            <Link to={paths.disclosures}>
              <PrinterIcon aria-hidden />
              {t('profile.disclosures.title')}
            </Link>
          </Button>
        )}
      </Flex>
    </>
  );
}
