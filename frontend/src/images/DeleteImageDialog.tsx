import { Text, Textarea } from '@chakra-ui/react';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { TrashIcon } from '@phosphor-icons/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewer } from '../auth/session';
import { errorText, faultAt } from '../lib/errors';
import { fullName } from '../lib/format';
import { ApiError, send } from '../lib/http';
import { toast } from '../lib/toaster';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { Field } from '../ui/Field';
import { Said } from '../ui/Said';
import { actionsOf } from './access';
import { dropImage, dropStudy, refreshLists } from './cache';
import type { AboutImage } from './dialogs';
import { sharesOf } from './insight';
import { stackOf, titleOf } from './subject';

/**
 * Asks before an image or a study is deleted. Names it, the people who lose access and the guest links that end. Asks
 * for a reason if it has a patient, and for a typed word if others have access.
 */
export function DeleteImageDialog({ open, image, onClose, finalFocus }: AboutImage) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const cache = useQueryClient();
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string>();
  const shares = useQuery({ ...sharesOf(image?.id ?? '', image?.study?.id), enabled: open && Boolean(image) });

  useEffect(() => {
    if (!open) return;
    setReason('');
    setFault(undefined);
  }, [open]);

  const asked = useRef<Image>(undefined);
  asked.current = open ? image : undefined;
  /** True while this dialog asks about the image. A late answer may find it asking about another one. */
  const asksAbout = (gone: Image) => asked.current?.id === gone.id;
  const needsReason = image ? actionsOf(viewer, image).removeNeedsReason : false;
  const drop = (gone: Image) => {
    const stack = stackOf(gone);
    if (stack) dropStudy(cache, stack.id);
    else dropImage(cache, gone.id, gone.study?.id);
  };
  const removal = useMutation({
    mutationFn: (image: Image) => {
      const stack = stackOf(image);
      const body = needsReason ? { reason: reason.trim() } : {};
      if (stack) return send(studyCalls.deleteStudy, { params: { id: stack.id }, body });
      return send(imageCalls.deleteImage, { params: { id: image.id }, body });
    },
    meta: { silent: 'always' },
    onSuccess: (_, gone) => {
      if (asksAbout(gone)) onClose();
      drop(gone);
      const title = titleOf(gone, '');
      toast.success(
        t(stackOf(gone) ? 'studies.remove.done' : 'images.remove.done'),
        title ? { description: title } : {},
      );
    },
    onError: (error, gone) => {
      const atReason = faultAt(error, 'reason');
      if (atReason && asksAbout(gone)) return setFault(atReason);
      if (asksAbout(gone)) onClose();
      // It is already deleted.
      if (error instanceof ApiError && error.status === 404) return drop(gone);
      toast.error(errorText(error, t(stackOf(gone) ? 'studies.remove.failed' : 'images.remove.failed')));
      refreshLists(cache);
    },
  });
  if (!image) return null;

  const count = shares.data?.length ?? 0;
  const guestLinks = image.recipients?.guestLinks ?? 0;
  const live = count > 0 || (shares.data === undefined && image.isShared);
  const stack = stackOf(image);
  const ofStudy = (count: number) =>
    `${t('studies.remove.alone', { count })} ${live ? t('studies.remove.shares') : ''}`.trimEnd();
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
      title={t('images.remove.title', { caption: titleOf(image, t('common.untitled')) })}
      act={t(stack ? 'studies.remove.act' : 'images.remove.act')}
      onConfirm={confirm}
      pending={removal.isPending && removal.variables?.id === image.id}
      finalFocus={finalFocus}
      {...((live || guestLinks > 0) && { word: t('images.remove.word') })}
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
      {stack && ofStudy(stack.imageCount)}
      {!stack && (count > 0 ? t('images.remove.shares', { count }) : t('images.remove.alone'))}
      {guestLinks > 0 && ` ${t('images.remove.guestLinks', { count: guestLinks })}`}
      {image.patient && (
        <Text mt="2">
          <Said i18nKey="images.remove.patient" values={{ name: fullName(image.patient) }} />
        </Text>
      )}
    </ConfirmDialog>
  );
}
