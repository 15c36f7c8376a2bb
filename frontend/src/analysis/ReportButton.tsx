import { Button } from '@chakra-ui/react';
import { FilePdfIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { useReport } from './review';

/** Saves the report of an image as a PDF document. */
export function ReportButton({ imageId }: { imageId: string }) {
  const { t } = useTranslation();
  const report = useReport(imageId);
  return (
    <Button
      variant="subtle"
      onClick={() => report.mutate()}
      loading={report.isPending}
      loadingText={t('analysis.review.report')}
    >
      <FilePdfIcon aria-hidden />
      {t('analysis.review.report')}
    </Button>
  );
}
