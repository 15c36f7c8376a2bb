import { Box, Button, Dialog, Textarea } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { emergencyCalls } from '@lightbox/contract/emergencies/calls.js';
import { FirstAidIcon, WarningIcon } from '@phosphor-icons/react';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { Field } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { Note } from '../ui/Note';
import { useOpenEmergency } from './emergencies';

interface Props {
  patientId: string;
  open: boolean;
  onClose: () => void;
}

/** Asks for the reason, and says who is told, before a provider opens the images of a patient. */
export function OpenEmergency({ patientId, open, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Modal open={open} onClose={onClose} title={t('emergencies.openTitle')}>
      <Form patientId={patientId} onClose={onClose} />
    </Modal>
  );
}

function Form({ patientId, onClose }: Omit<Props, 'open'>) {
  const { t } = useTranslation();
  const form = useId();
  const opening = useOpenEmergency(patientId);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(emergencyCalls.openEmergency.body),
    defaultValues: { reason: '' },
  });
  const submit = handleSubmit((body) => opening.mutate(body, { onSuccess: onClose }));
  return (
    <>
      <Dialog.Body>
        <Note Icon={WarningIcon} tone="warning" title={t('emergencies.warning')}>
          {t('emergencies.warningText')}
        </Note>
        <Box asChild mt="4">
          <form id={form} onSubmit={submit} noValidate>
            <Field
              label={t('emergencies.reason')}
              help={t('emergencies.reasonHelp')}
              error={formState.errors.reason?.message ?? (opening.error ? errorText(opening.error) : undefined)}
            >
              <Textarea size="lg" rows={4} dir="auto" {...register('reason')} />
            </Field>
          </form>
        </Box>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          type="submit"
          form={form}
          colorPalette="danger"
          loading={opening.isPending}
          loadingText={t('emergencies.openAct')}
        >
          <FirstAidIcon aria-hidden />
          {t('emergencies.openAct')}
        </Button>
      </Dialog.Footer>
    </>
  );
}
