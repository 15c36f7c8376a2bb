import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { CardState } from '@lightbox/contract/images/names.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { limits } from '@lightbox/contract/limits.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import type { CardDoc } from '@lightbox/core/models/card.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { beginsWith, wordsOf } from '@lightbox/core/users/search.js';
import type { QueryFilter } from 'mongoose';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { listCards } from './listCards.js';

type Filter = QueryFilter<CardDoc>;

export async function searchImages(context: Context<typeof imageCalls.searchImages>): Promise<Answer<Image[]>> {
  const { gateway, viewer, body } = context;
  return listCards(context, await searchFilter(gateway, viewer, body));
}

/** The cards that a search finds. */
export async function searchFilter(gateway: Gateway, viewer: Viewer, search: ImageSearch): Promise<Filter> {
  const text = await withText(gateway, viewer, search.text ?? '');
  return { ...scopeOf(viewer, search), ...conditions(search, gateway.clock.now()), ...text };
}

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
    endsAt: { $gt: now, $lte: new Date(now.getTime() + limits.endsSoonHours * 3_600_000) },
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
const DAY_MS = 86_400_000;

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

/** With this bound, unlike `$exists`, the index alone has the answer. */
const LEAST_ID = oid('0'.repeat(24));

/** Patients of the directory that one word may name. Further letters make them fewer. */
const NAMED_MAX = 1000;

const nameFields = { firstname: 1, lastname: 1 } as const;
type Named = Pick<UserDoc, '_id' | 'firstname' | 'lastname'>;

const withName = (people: Named[], term: string): ObjectId[] =>
  people
    .filter(({ firstname = '', lastname = '' }) =>
      wordsOf(`${firstname} ${lastname}`).some((word) => word.startsWith(term)),
    )
    .map(({ _id }) => _id);

/**
 * Returns a function that finds the patients whose name has a word that begins with the term. For a viewer who may see
 * every patient, an index of the directory has the few of that name. Others are asked only about the patients of their own
 * cards, so that the time of a search tells nothing of other people; so is a name that too many people have.
 */
function patientFinder({ models, settings }: Gateway, viewer: Viewer): (term: string) => Promise<ObjectId[]> {
  let own: Promise<Named[]> | undefined;
  const readOwn = async (): Promise<Named[]> => {
    const ids = await models.Card.distinct('patient', { person: viewer._id, patient: { $gt: LEAST_ID } });
    return models.User.find({ _id: { $in: ids } }, nameFields).lean<Named[]>();
  };
  const inDirectory = (term: string): Promise<Named[]> =>
    models.User.find({ role: 'patient', words: beginsWith(term) }, nameFields)
      .limit(NAMED_MAX + 1)
      .lean<Named[]>();
  return async (term) => {
    if (seesAll(viewer)) return (await inDirectory(term)).slice(0, NAMED_MAX).map(({ _id }) => _id);
    if (viewer.role === 'healthProvider' && (await settings.get('directory.patients')) === 'all') {
      const named = await inDirectory(term);
      if (named.length <= NAMED_MAX) return withName(named, term);
    }
    own ??= readOwn();
    return withName(await own, term);
  };
}

/** The cards with a word that begins with the term, of the image or of the name of its patient. */
function withTerm(term: string, patients: ObjectId[]): Filter {
  const words = { words: beginsWith(term) };
  return patients.length > 0 ? { $or: [words, { patient: { $in: patients } }] } : words;
}

async function withText(gateway: Gateway, viewer: Viewer, text: string): Promise<Filter> {
  const terms = wordsOf(text).slice(0, limits.searchWords);
  if (terms.length === 0) return {};
  const find = patientFinder(gateway, viewer);
  return { $and: await Promise.all(terms.map(async (term) => withTerm(term, await find(term)))) };
}
