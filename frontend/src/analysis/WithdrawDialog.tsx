import { zodResolver } from '@hookform/resolvers/zod';
import { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { TextDialog } from '../ui/TextDialog';
import { useReview } from './review';

/** Takes the reason of a withdrawal. */
export function WithdrawDialog({ imageId, onClose }: { imageId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { withdraw } = useReview(imageId);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(analysisCalls.withdrawAnalysis.body),
    defaultValues: { reason: '' },
  });
  const submit = handleSubmit((body) => withdraw.mutate(body, { onSuccess: onClose }));
  return (
    <TextDialog
      title={t('analysis.review.withdrawTitle')}
      label={t('analysis.review.reason')}
      help={t('analysis.review.reasonHelp')}
      error={formState.errors.reason?.message ?? (withdraw.error ? errorText(withdraw.error) : undefined)}
      field={register('reason')}
      act={t('analysis.review.withdrawAct')}
      danger
      pending={withdraw.isPending}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
