import type { Image } from '@lightbox/contract/images/schemas.js';
import { type BatchCreated, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { refreshLists } from '../images/cache';
import { sharedThing } from '../images/subject';
import { fullName } from '../lib/format';
import { send } from '../lib/http';
import { toast } from '../lib/toaster';
import { useAttempt } from '../lib/useAttempt';
import { offerDevice } from '../push/offer';
import type { Person } from '../users/PersonSearch';
import { refreshInvitations, refreshShares } from './sharing';

/** The wishes of an act of sharing. */
export interface Wish {
  people: readonly Person[];
  emails: readonly string[];
  hours: number;
  note: string;
  download: boolean;
  /** The recipients get a copy without identity. */
  deidentified: boolean;
}

function bodyOf(images: readonly Image[], { people, emails, hours, note, download, deidentified }: Wish) {
  const things = images.map(sharedThing);
  return {
    images: things.flatMap(({ imagemetadataId }) => imagemetadataId ?? []),
    studies: things.flatMap(({ studyId }) => studyId ?? []),
    people: people.map(({ id }) => id),
    emails: [...emails],
    expiresInHours: hours,
    ...(note.trim() ? { note } : {}),
    ...(download ? {} : { download }),
    ...(deidentified ? { deidentified } : {}),
  };
}

/** Shares images with people, in one act. */
export function useShareMany(images: readonly Image[]) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const attempt = useAttempt();
  return useMutation({
    mutationFn: (wish: Wish) => {
      const body = bodyOf(images, wish);
      return send(shareCalls.shareBatch, { body }, { idempotencyKey: attempt.keyOf(body) });
    },
    meta: { silent: true, fallback: t('sharing.share.failed') },
    onSuccess: ({ data }, { people }) => {
      attempt.forget();
      if (data.shares.length + data.invited.length === 0) return;
      const description = t(data.shares.length > 0 ? 'sharing.share.doneText' : 'sharing.share.doneInvitedText');
      toast.success(said(data, people), { description });
      void offerDevice();
    },
    onError: attempt.refused,
    onSettled: () => {
      refreshLists(cache);
      refreshShares(cache);
      refreshInvitations(cache);
    },
  });

  function said({ shares, invited }: BatchCreated, people: readonly Person[]): string {
    const ids = new Set(shares.map(({ createdfor }) => createdfor));
    const [only] = people.filter(({ id }) => ids.has(id));
    const count = ids.size + new Set(invited.map(({ email }) => email)).size;
    if (count > 1) return t('sharing.share.doneMany', { count });
    return only
      ? t('sharing.share.done', { name: fullName(only) })
      : t('sharing.share.doneInvited', { email: invited[0]?.email ?? '' });
  }
}
