import { Text, Textarea } from '@chakra-ui/react';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { TrashIcon } from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewer } from '../auth/session';
import { errorText } from '../lib/errors';
import { fullName } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { Field } from '../ui/Field';
import { Said } from '../ui/Said';
import { actionsOf } from './access';
import { dropImage, refreshLists } from './cache';
import type { AboutImage } from './dialogs';
import { sharesOf } from './insight';

/**
 * Names the image and the people who lose access. Asks for a reason if the image has a patient, and for a typed word if
 * others have access.
 */
export function DeleteImageDialog({ open, image, onClose, finalFocus }: AboutImage) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const cache = useQueryClient();
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string>();
  const shares = useQuery({ ...sharesOf(image?.id ?? ''), enabled: open && Boolean(image) });

  useEffect(() => {
    if (!open) return;
    setReason('');
    setFault(undefined);
  }, [open]);

  const needsReason = image ? actionsOf(viewer, image).removeNeedsReason : false;
  const removal = useMutation({
    mutationFn: ({ id }: Image) =>
      send(imageCalls.deleteImage, { params: { id }, body: needsReason ? { reason: reason.trim() } : {} }),
    meta: { silent: true },
    onSuccess: (_, { id, caption }) => {
      onClose();
      dropImage(cache, id);
      toast.success(t('images.remove.done'), caption ? { description: caption } : {});
    },
    onError: (error, { id }) => {
      const atReason = error instanceof ApiError && error.errors.find(({ field }) => field === 'reason');
      if (atReason) return setFault(atReason.message);
      onClose();
      // The image is already deleted.
      if (error instanceof ApiError && error.status === 404) return dropImage(cache, id);
      toast.error(errorText(error, t('images.remove.failed')));
      refreshLists(cache);
    },
  });
  if (!image) return null;

  const count = shares.data?.length ?? 0;
  const live = count > 0 || (shares.data === undefined && image.isShared);
  const confirm = () => {
    if (needsReason && !reason.trim()) return setFault(t('images.remove.reasonNeeded'));
    setFault(undefined);
    removal.mutate(image);
  };
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      Icon={TrashIcon}
      title={t('images.remove.title', { caption: image.caption || t('common.untitled') })}
      act={t('images.remove.act')}
      onConfirm={confirm}
      pending={removal.isPending}
      finalFocus={finalFocus}
      {...(live && { word: t('images.remove.word') })}
      fields={
        needsReason && (
          <Field label={t('images.remove.reason')} help={t('images.remove.reasonHelp')} error={fault}>
            <Textarea
              size="lg"
              rows={2}
              autoresize
              maxLength={500}
              value={reason}
              dir="auto"
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
        )
      }
    >
      {count > 0 ? t('images.remove.shares', { count }) : t('images.remove.alone')}
      {image.patient && (
        <Text mt="2">
          <Said i18nKey="images.remove.patient" values={{ name: fullName(image.patient) }} />
        </Text>
      )}
    </ConfirmDialog>
  );
}
