import { guestLinkState } from '@lightbox/contract/guests/states.js';
import { shareState } from '@lightbox/contract/sharing/states.js';
import { openField } from '@lightbox/core/guests/sealed.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { QueryFilter } from 'mongoose';
import type { Gateway, Viewer } from '../../context.js';
import { presentNote } from '../../sharing/present.js';
import { namesOf } from '../names.js';
import { jsonArray } from './json.js';

/** Reads the shares that a person got and gave, also ended ones, and the guest links that the person made. */
async function* sharesOf(gateway: Gateway, viewer: Viewer) {
  const { models, clock, pages, keys } = gateway;
  const now = clock.now();
  const shares = async function* (filter: QueryFilter<ShareDoc>, kind: 'received' | 'given') {
    const source = { model: models.Share, filter, sort: ['_id'] as const, direction: 1 as const };
    for await (const rows of pages.all<ShareDoc>(source)) {
      const name = await namesOf(
        models,
        rows.flatMap(({ sharedBy, recipient }) => [sharedBy, recipient]),
      );
      yield rows.map((share) => ({
        kind,
        id: String(share._id),
        imageId: String(share.image),
        ...(share.study ? { studyId: String(share.study) } : {}),
        by: name(share.sharedBy),
        to: name(share.recipient),
        at: share.createAt.toISOString(),
        until: share.expiresAt?.toISOString() ?? null,
        openedAt: share.verifiedAt?.toISOString() ?? null,
        endedAt: share.endedAt?.toISOString() ?? null,
        download: share.download !== false,
        /** True: a copy without identity was shared. */
        deidentified: share.deidentified === true,
        state: shareState(share, now),
        ...presentNote(gateway, share),
      }));
    }
  };
  yield* shares({ recipient: viewer._id }, 'received');
  yield* shares({ sharedBy: viewer._id }, 'given');
  const links = {
    model: models.GuestLink,
    filter: { madeBy: viewer._id },
    sort: ['_id'] as const,
    direction: 1 as const,
  };
  for await (const rows of pages.all<GuestLinkDoc>(links)) {
    yield rows.map((link) => ({
      kind: 'guestLink' as const,
      id: String(link._id),
      imageId: String(link.image),
      ...(link.study ? { studyId: String(link.study) } : {}),
      to: openField(keys, link, 'email'),
      at: link.createAt.toISOString(),
      until: link.expiresAt.toISOString(),
      endedAt: link.endedAt?.toISOString() ?? null,
      download: link.download,
      state: guestLinkState(link, now),
    }));
  }
}

export const sharesAsJson = (gateway: Gateway, viewer: Viewer) => jsonArray(sharesOf(gateway, viewer));
