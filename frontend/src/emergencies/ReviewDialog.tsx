import { zodResolver } from '@hookform/resolvers/zod';
import { ReviewText } from '@lightbox/contract/emergencies/calls.js';
import { text } from '@lightbox/contract/ids.js';
import { limits } from '@lightbox/contract/limits.js';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { errorText } from '../lib/errors';
import { TextDialog } from '../ui/TextDialog';
import { type ReviewAct, useReview } from './emergencies';

const approval = z.object({ text: text(limits.reviewTextLength) });
const needed = z.object({ text: ReviewText });

/** Takes the text of a step of the review. An approval needs none. */
export function ReviewDialog({ id, act, onClose }: { id: string; act: ReviewAct; onClose: () => void }) {
  const { t } = useTranslation();
  const review = useReview(id, act);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(act === 'approve' ? approval : needed),
    defaultValues: { text: '' },
  });
  const submit = handleSubmit((fields) => review.mutate(fields.text, { onSuccess: onClose }));
  return (
    <TextDialog
      title={t(`emergencies.actTitle.${act}`)}
      label={t(`emergencies.text.${act}`)}
      help={t(`emergencies.textHelp.${act}`)}
      optional={act === 'approve'}
      error={formState.errors.text?.message ?? (review.error ? errorText(review.error) : undefined)}
      field={register('text')}
      act={t(`emergencies.act.${act}`)}
      pending={review.isPending}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
