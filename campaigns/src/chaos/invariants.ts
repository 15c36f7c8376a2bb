import { covers, liveShare } from '@lightbox/core/access/shares.js';
import type { Core } from '@lightbox/core/core.js';
import type { CardDoc } from '@lightbox/core/models/card.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';

/** A record that a rule does not allow. */
export interface Violation {
  rule: string;
  id: string;
}

interface Belonging {
  what: string;
  field: string;
  to: keyof typeof holders;
  match?: object;
}

interface Holder {
  from: string;
  field: string;
  match: object;
  /** Records of other collections that hold it too. */
  also?: { from: string; field: string }[];
}

const holders = {
  image: { from: 'imagemetadata', field: '_id', match: {} },
  blob: {
    from: 'imagemetadata',
    field: 'blob',
    match: {},
    also: [
      { from: 'drawings', field: 'plain.blob' },
      { from: 'uploads', field: 'blob' },
      { from: 'voices', field: 'blob' },
    ],
  },
  study: { from: 'studies', field: '_id', match: {} },
  message: { from: 'messages', field: '_id', match: {} },
  webhook: { from: 'webhooks', field: '_id', match: {} },
  account: { from: 'users', field: '_id', match: { deletedAt: { $exists: false } } },
};

/** Records that must not exist without their image, blob or account. Messages, the audit log and ended shares may: they hold only ids. */
const belongings: Belonging[] = [
  { what: 'blobs.files', field: '_id', to: 'blob' },
  { what: 'blobs.chunks', field: 'files_id', to: 'blob' },
  { what: 'voices', field: 'message', to: 'message' },
  { what: 'voices', field: 'sender', to: 'account' },
  { what: 'previews', field: '_id', to: 'image' },
  { what: 'drawings', field: '_id', to: 'image' },
  { what: 'analyses', field: '_id', to: 'image' },
  { what: 'analysisversions', field: 'image', to: 'image' },
  { what: 'reports', field: 'image', to: 'image' },
  { what: 'shares', field: 'image', to: 'image', match: { live: true } },
  { what: 'shares', field: 'study', to: 'study', match: { live: true, study: { $exists: true } } },
  { what: 'imagemetadata', field: 'study', to: 'study', match: { study: { $exists: true } } },
  { what: 'studies', field: 'lead', to: 'image', match: { lead: { $exists: true } } },
  { what: 'studies', field: 'owner', to: 'account' },
  { what: 'invites', field: 'image', to: 'image', match: { image: { $exists: true } } },
  { what: 'invites', field: 'study', to: 'study', match: { study: { $exists: true } } },
  { what: 'invites', field: 'by', to: 'account' },
  { what: 'shares', field: 'recipient', to: 'account', match: { live: true } },
  { what: 'imagemetadata', field: 'owner', to: 'account' },
  { what: 'sessions', field: 'user', to: 'account', match: { endedAt: { $exists: false } } },
  { what: 'totps', field: '_id', to: 'account' },
  { what: 'passkeys', field: 'user', to: 'account' },
  { what: 'identities', field: 'user', to: 'account' },
  { what: 'scimaccounts', field: '_id', to: 'account' },
  { what: 'codes', field: 'user', to: 'account' },
  { what: 'notifications', field: 'user', to: 'account' },
  { what: 'pushsubscriptions', field: 'user', to: 'account' },
  { what: 'webhooks', field: 'user', to: 'account', match: { whole: false } },
  { what: 'webhookdeliveries', field: 'webhook', to: 'webhook' },
];

/** Returns the records whose image, blob or account does not exist. */
async function orphans({ db }: Core): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { what, field, to, match = {} } of belongings) {
    const { from, field: key, match: those, also = [] }: Holder = holders[to];
    const ids = await Promise.all([
      db.collection(from).distinct(key, those),
      ...also.map((other) => db.collection(other.from).distinct(other.field)),
    ]);
    const known = new Set(ids.flat().map(String));
    for (const id of (await db.collection(what).distinct(field, match)).map(String)) {
      if (!known.has(id)) found.push({ rule: `${what}.${field} belongs to ${to}`, id });
    }
  }
  return found;
}

/** Returns images whose fields disagree with their shares or their analysis. */
async function disagreements({ models, clock }: Core): Promise<Violation[]> {
  const found: Violation[] = [];
  const shares = await models.Share.find(liveShare(clock.now()), { image: 1, study: 1, recipient: 1 }).lean<
    ShareDoc[]
  >();
  const analyses = await models.Analysis.find({}, { status: 1, signed: 1, review: 1 }).lean();
  const status = new Map(analyses.map((analysis) => [String(analysis._id), analysis.status]));
  const signed = new Set(analyses.flatMap((analysis) => (analysis.signed ? [String(analysis._id)] : [])));
  const fields = { owner: 1, study: 1, audience: 1, isShared: 1, analysis: 1, hasSigned: 1 };
  for (const image of await models.Image.find({}, fields).lean<ImageDoc[]>()) {
    const id = String(image._id);
    const theirs = shares.filter((share) => covers(share, image)).map(({ recipient }) => recipient);
    const recipients = [...new Map(theirs.map((person) => [String(person), person])).values()];
    const audience = recipients.length > 0 ? [...recipients, image.owner] : [];
    const same = audience.map(String).sort().join() === image.audience.map(String).sort().join();
    if (!same || image.isShared !== recipients.length > 0)
      found.push({ rule: 'the audience is that of the live shares', id });
    if (recipients.some((recipient) => recipient.equals(image.owner))) {
      found.push({ rule: 'an owner has no share of their own image', id });
    }
    if (image.analysis !== (status.get(id) ?? 'none')) found.push({ rule: 'image.analysis is that of its run', id });
    if (Boolean(image.hasSigned) !== signed.has(id)) found.push({ rule: 'image.hasSigned is that of its review', id });
  }
  return found;
}

/** Returns studies whose fields disagree with their images, and images with more or fewer than one row in a grouped list. */
async function studies({ models }: Core): Promise<Violation[]> {
  const found: Violation[] = [];
  const all = await models.Study.find({}).lean<StudyDoc[]>();
  const images = await models.Image.find({}).lean<ImageDoc[]>();
  const members = new Map<string, ImageDoc[]>();
  for (const image of images) {
    const id = String(image.study ?? image._id);
    members.set(id, [...(members.get(id) ?? []), image]);
  }
  for (const study of all) {
    const id = String(study._id);
    const own = members.get(id) ?? [];
    const bytes = own.reduce((sum, { size }) => sum + size, 0);
    if (study.images !== own.length || study.bytes !== bytes) found.push({ rule: 'a study counts its images', id });
    const strange = own.some(
      ({ owner, patient }) => !owner.equals(study.owner) || String(patient) !== String(study.patient),
    );
    if (strange) found.push({ rule: 'the images of a study have its owner and patient', id });
    const leads = own.filter(({ isLead }) => isLead).map(({ _id }) => String(_id));
    if (leads.join() !== String(study.lead ?? '')) found.push({ rule: 'one image stands for a study', id });
    if (study.kind === 'dicom' && own.length === 0) found.push({ rule: 'a DICOM study has images', id });
  }
  for (const [id, own] of members) {
    const seen = [...new Set(own.flatMap(({ audience }) => audience.map(String)))].sort();
    const shown = own.flatMap(({ shownTo }) => shownTo.map(String)).sort();
    if (seen.join() !== shown.join()) found.push({ rule: 'everybody who sees a study has one row for it', id });
  }
  const cards = await models.Card.find({}, { image: 1, person: 1 }).lean<CardDoc[]>();
  const held = new Set(cards.map(({ image, person }) => `${image} ${person}`));
  const due = new Set(
    images.flatMap(({ _id, owner, isLead, shownTo }) => {
      const received = shownTo.filter((person) => !person.equals(owner));
      return [...(isLead ? [owner] : []), ...received].map((person) => `${_id} ${person}`);
    }),
  );
  const odd = [...[...held].filter((id) => !due.has(id)), ...[...due].filter((id) => !held.has(id))];
  found.push(...odd.map((id) => ({ rule: 'each row of a gallery is one card', id })));
  return found;
}

/** Returns analyses that have not ended and have no job. */
async function forgotten({ models, queues }: Core): Promise<Violation[]> {
  const unfinished = await models.Analysis.find({ status: { $in: ['queued', 'active'] } }, { _id: 1 }).lean();
  if (unfinished.length === 0) return [];
  const jobs = await queues.all.analysis.getJobs(['active', 'waiting', 'delayed', 'prioritized']);
  const worked = new Set(jobs.map((job) => (job?.data as { imageId?: string } | undefined)?.imageId));
  return unfinished
    .map(({ _id }) => ({ rule: 'an analysis ends', id: String(_id) }))
    .filter(({ id }) => !worked.has(id));
}

/** Returns accounts that are half closed, or whose usage is wrong. */
async function accounts({ models }: Core): Promise<Violation[]> {
  const found: Violation[] = [];
  const half = await models.User.find({
    $or: [{ closing: { $exists: true } }, { deletedAt: { $exists: true } }],
  }).lean();
  for (const user of half) {
    const closed = user.deletedAt && !user.closing && !user.active && user.status === 'rejected' && !user.firstname;
    if (!closed) found.push({ rule: 'a closed account is closed entirely', id: String(user._id) });
  }
  const owned = await models.Image.aggregate<{ _id: unknown; files: number; bytes: number }>([
    { $group: { _id: '$owner', files: { $sum: 1 }, bytes: { $sum: '$size' } } },
  ]);
  const sums = new Map(owned.map((sum) => [String(sum._id), sum]));
  for (const { _id, files, bytes } of await models.Usage.find({}).lean()) {
    const sum = sums.get(String(_id));
    if (files !== (sum?.files ?? 0) || bytes !== (sum?.bytes ?? 0)) {
      found.push({ rule: 'an account’s usage is that of its images', id: String(_id) });
    }
  }
  return found;
}

/**
 * Returns the violations of the rules for images, studies, shares, analyses and accounts. The rules hold whenever no call and no job is
 * running, whatever happened before. Every rule is written here and nowhere else in the tests.
 */
export async function violations(core: Core): Promise<Violation[]> {
  const found = await Promise.all([orphans(core), disagreements(core), studies(core), forgotten(core), accounts(core)]);
  return found.flat();
}
