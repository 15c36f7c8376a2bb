import { Button, Dialog, Textarea } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { ReviewText } from '@lightbox/contract/emergencies/calls.js';
import { text } from '@lightbox/contract/ids.js';
import { limits } from '@lightbox/contract/limits.js';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { errorText } from '../lib/errors';
import { Field } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { type ReviewAct, useReview } from './emergencies';

const approval = z.object({ text: text(limits.reviewTextLength) });
const needed = z.object({ text: ReviewText });

/** Takes the text of a step of the review. An approval needs none. */
export function ReviewDialog({ id, act, onClose }: { id: string; act: ReviewAct; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useId();
  const review = useReview(id, act);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(act === 'approve' ? approval : needed),
    defaultValues: { text: '' },
  });
  const submit = handleSubmit((fields) => review.mutate(fields.text, { onSuccess: onClose }));
  return (
    <Modal open onClose={onClose} title={t(`emergencies.actTitle.${act}`)}>
      <Dialog.Body>
        <form id={form} onSubmit={submit} noValidate>
          <Field
            label={t(`emergencies.text.${act}`)}
            help={t(`emergencies.textHelp.${act}`)}
            optional={act === 'approve'}
            error={formState.errors.text?.message ?? (review.error ? errorText(review.error) : undefined)}
          >
            <Textarea size="lg" rows={4} dir="auto" {...register('text')} />
          </Field>
        </form>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" form={form} loading={review.isPending} loadingText={t(`emergencies.act.${act}`)}>
          {t(`emergencies.act.${act}`)}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
