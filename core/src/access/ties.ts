import { limits } from '@lightbox/contract/limits.js';
import { needsTie, type UserViewer } from '@lightbox/contract/users/policy.js';
import type { Core } from '../core.js';
import { type ObjectId, oid } from '../db/ids.js';
import { conversationOf } from '../messages/messages.js';
import { DAY_MS } from '../times.js';
import { liveShare, openedOriginal } from './shares.js';

type Ties = Pick<Core, 'models' | 'settings' | 'clock'>;

const onlyKnown = async ({ settings }: Ties) => (await settings.get('directory.patients')) === 'known';

/** True when the two have a care relationship, or need none. The directory uses it. */
export async function areTied(core: Ties, a: UserViewer, b: UserViewer): Promise<boolean> {
  const [provider, patient] = needsTie(a, b) ? [a, b] : [b, a];
  if (!needsTie(provider, patient) || !(await onlyKnown(core))) return true;
  return (await tiedPatients(core, oid(provider.id), [oid(patient.id)])).size > 0;
}

/** Returns the patients with whom a provider has a care relationship, for lists; null when none is needed. */
export async function knownPatients(core: Ties, viewer: UserViewer): Promise<ObjectId[] | null> {
  if (viewer.role !== 'healthProvider' || !(await onlyKnown(core))) return null;
  return [...(await tiedPatients(core, oid(viewer.id)))].map(oid);
}

/**
 * Returns the patients with whom a provider has a care relationship now, among the given ones or among all. An index
 * finds each reason: a live share that the provider gave the patient; an image of the patient that the provider owns,
 * or whose original they have opened by a live share; a chat of the two in the last year.
 */
export async function tiedPatients(
  { models, clock }: Ties,
  provider: ObjectId,
  among?: ObjectId[],
): Promise<Set<string>> {
  if (among?.length === 0) return new Set();
  const now = clock.now();
  const since = new Date(now.getTime() - limits.tieDays * DAY_MS);
  const one = among ? { $in: among } : { $exists: true };
  const chats = among ? { _id: { $in: among.map((patient) => conversationOf(provider, patient)) } } : {};
  const [shared, owned, opened, conversations] = await Promise.all([
    models.Share.distinct('recipient', { sharedBy: provider, ...(among ? { recipient: one } : {}), ...liveShare(now) }),
    models.Image.distinct('patient', { owner: provider, patient: one }),
    models.Share.distinct('image', { recipient: provider, ...openedOriginal(now) }),
    models.Conversation.find({ ...chats, members: provider, lastAt: { $gte: since } }, { members: 1 }).lean(),
  ]);
  const ofOpened = await models.Image.distinct('patient', { _id: { $in: opened }, patient: one });
  return new Set([...shared, ...owned, ...ofOpened, ...conversations.flatMap(({ members }) => members)].map(String));
}
