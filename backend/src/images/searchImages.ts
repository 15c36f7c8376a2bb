import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { CardState } from '@lightbox/contract/images/names.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { limits } from '@lightbox/contract/limits.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import { withTerm } from '@lightbox/core/access/cards.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { CardDoc } from '@lightbox/core/models/card.js';
import { DAY_MS, HOUR_MS } from '@lightbox/core/times.js';
import { wordsOf } from '@lightbox/core/users/search.js';
import type { QueryFilter } from 'mongoose';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { listCards } from './listCards.js';

type Filter = QueryFilter<CardDoc>;

export async function searchImages(context: Context<typeof imageCalls.searchImages>): Promise<Answer<Image[]>> {
  const { gateway, viewer, body } = context;
  return listCards(context, searchFilter(gateway, viewer, body));
}

/** The cards that a search finds. */
export const searchFilter = ({ clock }: Gateway, viewer: Viewer, search: ImageSearch): Filter => ({
  ...scopeOf(viewer, search),
  ...conditions(search, clock.now()),
  ...withText(search.text ?? ''),
});

/** The cards in the viewer's gallery. An administrator sees each image once, on the card of its owner. */
const scopeOf = (viewer: Viewer, { list }: ImageSearch): Filter => ({
  ...(seesAll(viewer) ? { own: true } : { person: viewer._id, ...(list === 'uploaded' ? { own: true } : {}) }),
  shared: list ? list === 'shared' : { $in: [true, false] },
});

const seesAll = (viewer: Viewer): boolean => roleMay(viewer.role, 'image.listAll');

const states: Record<CardState, (now: Date) => Filter> = {
  notVerified: () => ({ waiting: true }),
  locked: () => ({ locked: true }),
  endsSoon: (now) => ({
    endsAt: { $gt: now, $lte: new Date(now.getTime() + limits.endsSoonHours * HOUR_MS) },
  }),
};

const conditions = ({ patientId, modality, kind, from, to, state }: ImageSearch, now: Date): Filter => ({
  ...(patientId ? { patient: oid(patientId) } : {}),
  ...(modality ? { modalities: modality } : {}),
  ...(kind ? { kind } : {}),
  ...(from || to ? { day: daysOf(from, to) } : {}),
  ...(state ? states[state](now) : {}),
});

/** MongoDB merges at most 200 ordered runs of an index, here of each day, shared and not shared; above that it sorts. */
const MERGED_DAYS = 90;

/** Returns the days of a search: a list of few, so that an index has their cards in order, or a range. */
function daysOf(from: string | undefined, to: string | undefined): NonNullable<Filter['day']> {
  const start = from ? Date.parse(from) : Number.NaN;
  const count = to ? Math.floor((Date.parse(to) - start) / DAY_MS) + 1 : Number.NaN;
  if (count <= MERGED_DAYS) {
    const days = Array.from({ length: Math.max(0, count) }, (_, i) => new Date(start + i * DAY_MS));
    return { $in: days.map((day) => day.toISOString().slice(0, 10)) };
  }
  return { ...(from ? { $gte: from } : {}), ...(to ? { $lte: to } : {}) };
}

/** The cards on which each word of the text begins a word. */
function withText(text: string): Filter {
  const terms = wordsOf(text).slice(0, limits.searchWords);
  return terms.length > 0 ? { $and: terms.map(withTerm) } : {};
}
