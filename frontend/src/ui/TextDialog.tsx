import { Button, Dialog, Text, Textarea } from '@chakra-ui/react';
import { type FormEventHandler, useId } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from './Field';
import { Modal } from './Modal';

interface Props {
  title: string;
  /** Shown above the field. */
  text?: string;
  label: string;
  help: string;
  optional?: boolean;
  error: string | undefined;
  field: UseFormRegisterReturn;
  act: string;
  danger?: boolean;
  pending: boolean;
  onSubmit: FormEventHandler;
  onClose: () => void;
}

/** Takes one text, as the reason of an act, and does the act. */
export function TextDialog({ title, text, act, danger, pending, field, onSubmit, onClose, ...labels }: Props) {
  const { t } = useTranslation();
  const form = useId();
  return (
    <Modal open onClose={onClose} title={title}>
      <Dialog.Body>
        {text && (
          <Text color="fg.muted" mb="4">
            {text}
          </Text>
        )}
        <form id={form} onSubmit={onSubmit} noValidate>
          <Field {...labels}>
            <Textarea size="lg" rows={4} dir="auto" {...field} />
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
          loading={pending}
          loadingText={act}
          {...(danger && { colorPalette: 'danger' })}
        >
          {act}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
