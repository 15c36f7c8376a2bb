import { needsTie, type UserViewer } from '@lightbox/contract/users/policy.js';
import type { Core } from '../core.js';
import { type ObjectId, oid } from '../db/ids.js';
import { conversationOf } from '../messages.js';

type Ties = Pick<Core, 'models' | 'settings'>;

/**
 * What makes a patient known to a provider, each found by an index: a share that the provider gave them, live or past; an
 * image of theirs that the provider owns, or has opened with its code; a conversation of the two.
 */
const ties = {
  shared: (provider: ObjectId) => ({ sharedBy: provider }),
  owned: (provider: ObjectId) => ({ owner: provider, patient: { $exists: true } }),
  opened: (provider: ObjectId) => ({ recipient: provider, verifiedAt: { $exists: true } }),
};

const onlyKnown = async ({ settings }: Ties) => (await settings.get('directory.patients')) === 'known';

/** Whether a tie is there, or none is asked for. */
export async function areTied(core: Ties, a: UserViewer, b: UserViewer): Promise<boolean> {
  const [provider, patient] = needsTie(a, b) ? [a, b] : [b, a];
  if (!needsTie(provider, patient) || !(await onlyKnown(core))) return true;
  return haveTie(core, oid(provider.id), oid(patient.id));
}

async function haveTie({ models }: Ties, provider: ObjectId, patient: ObjectId): Promise<boolean> {
  const found = await Promise.all([
    models.Share.exists({ ...ties.shared(provider), recipient: patient }),
    models.Image.exists({ owner: provider, patient }),
    models.Conversation.exists({ _id: conversationOf(provider, patient) }),
  ]);
  if (found.some((one) => one !== null)) return true;
  const opened = await models.Share.distinct('image', ties.opened(provider));
  return (await models.Image.exists({ _id: { $in: opened }, patient })) !== null;
}

/** The patients a provider is tied to, for lists; null when no tie is asked for. */
export async function knownPatients(core: Ties, viewer: UserViewer): Promise<ObjectId[] | null> {
  if (viewer.role !== 'healthProvider' || !(await onlyKnown(core))) return null;
  const { models } = core;
  const provider = oid(viewer.id);
  const [shared, owned, opened, conversations] = await Promise.all([
    models.Share.distinct('recipient', ties.shared(provider)),
    models.Image.distinct('patient', ties.owned(provider)),
    models.Share.distinct('image', ties.opened(provider)),
    models.Conversation.find({ members: provider }, { members: 1 }).lean(),
  ]);
  const ofOpened = await models.Image.distinct('patient', { _id: { $in: opened }, patient: { $exists: true } });
  const all = [...shared, ...owned, ...ofOpened, ...conversations.flatMap(({ members }) => members)];
  return [...new Set(all.map(String))].map(oid);
}
