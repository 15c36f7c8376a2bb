import { Button, Dialog } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AboutImage } from '../images/dialogs';
import { putTitle } from '../images/studies';
import { errorText, faultAt } from '../lib/errors';
import { send } from '../lib/http';
import { toast } from '../lib/toaster';
import { TextField } from '../ui/Field';
import { Modal } from '../ui/Modal';

function RenameForm({ study, onClose }: { study: NonNullable<Image['study']>; onClose: () => void }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const form = useId();
  const [title, setTitle] = useState(study.title);
  const [fault, setFault] = useState<string>();
  const rename = useMutation({
    mutationFn: () => send(studyCalls.updateStudy, { params: { id: study.id }, body: { title: title.trim() } }),
    meta: { silent: true, fallback: t('studies.rename.failed') },
    onSuccess: ({ data }) => {
      putTitle(cache, data);
      toast.success(t('studies.rename.done'));
    },
    onError: (error) => {
      setFault(faultAt(error, 'title') ?? errorText(error, t('studies.rename.failed')));
    },
  });
  return (
    <>
      <Dialog.Body>
        <form
          id={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!title.trim()) return setFault(t('studies.rename.needed'));
            setFault(undefined);
            // Here and not in the hook: a late answer does not close the dialog that the person has opened meanwhile.
            rename.mutate(undefined, { onSuccess: onClose });
          }}
        >
          <TextField
            label={t('studies.rename.label')}
            help={t('studies.rename.help')}
            error={fault}
            value={title}
            maxLength={limits.studyTitleLength}
            dir="auto"
            autoComplete="off"
            onChange={(event) => setTitle(event.target.value)}
          />
        </form>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" form={form} loading={rename.isPending} loadingText={t('studies.rename.act')}>
          {t('studies.rename.act')}
        </Button>
      </Dialog.Footer>
    </>
  );
}

/** Gives a study another title. */
export function RenameDialog({ open, image, onClose, finalFocus }: AboutImage) {
  const { t } = useTranslation();
  if (!image?.study) return null;
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={t('studies.rename.title')}
      initialFocus={(content) => content?.querySelector('input') ?? null}
      finalFocusEl={finalFocus}
    >
      <RenameForm study={image.study} onClose={onClose} />
    </Modal>
  );
}
