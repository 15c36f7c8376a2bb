import { Button, Dialog, Textarea } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { Field } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { useReview } from './review';

/** Takes the reason of a withdrawal. */
export function WithdrawDialog({ imageId, onClose }: { imageId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useId();
  const { withdraw } = useReview(imageId);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(analysisCalls.withdrawAnalysis.body),
    defaultValues: { reason: '' },
  });
  const submit = handleSubmit((body) => withdraw.mutate(body, { onSuccess: onClose }));
  return (
    <Modal open onClose={onClose} title={t('analysis.review.withdrawTitle')}>
      <Dialog.Body>
        <form id={form} onSubmit={submit} noValidate>
          <Field
            label={t('analysis.review.reason')}
            help={t('analysis.review.reasonHelp')}
            error={formState.errors.reason?.message ?? (withdraw.error ? errorText(withdraw.error) : undefined)}
          >
            <Textarea size="lg" rows={4} dir="auto" {...register('reason')} />
          </Field>
        </form>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          type="submit"
          form={form}
          colorPalette="danger"
          loading={withdraw.isPending}
          loadingText={t('analysis.review.withdrawAct')}
        >
          {t('analysis.review.withdrawAct')}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
