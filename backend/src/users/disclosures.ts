import { lookActions } from '@lightbox/contract/audit/actions.js';
import { sameLook } from '@lightbox/contract/audit/faults.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import {
  type DisclosedTo,
  type Disclosure,
  disclosureActions,
  disclosureKind,
} from '@lightbox/contract/users/disclosures.js';
import { noGrounds } from '@lightbox/core/access/grounds.js';
import { imageFacts, studyFor } from '@lightbox/core/access/images.js';
import { covering, liveShare, sharesByTarget } from '@lightbox/core/access/shares.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import type { ListSource } from '@lightbox/core/db/page.js';
import { openField } from '@lightbox/core/guests/sealed.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { QueryFilter } from 'mongoose';
import { endOf } from '../audit/entries.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { namesOf } from './names.js';

type Call = typeof userCalls.listDisclosures;

/**
 * Lists what others did with the images that show the viewer as a patient, from the audit log. The images are those
 * whose timeline the policy shows to the viewer.
 */
export async function listDisclosures({ gateway, actor, viewer, query }: Context<Call>): Promise<Answer<Disclosure[]>> {
  const { image, from, to, ...page } = query;
  const period = { ...(from ? { $gte: new Date(from) } : {}), ...(to ? { $lte: endOf(to) } : {}) };
  const { source, present } = await disclosuresTo(gateway, viewer, image, from || to ? [{ at: period }] : []);
  const { rows, pagination } = await gateway.pages.list(source, page);
  await gateway.events.record(actor, { type: 'profile.disclosed', record: viewer._id });
  return { data: await present(rows), pagination };
}

/** Returns the entries of the log that are disclosures to the viewer, and presents them, one for each image. */
export async function disclosuresTo(
  gateway: Gateway,
  viewer: Viewer,
  only: string | undefined,
  narrowed: QueryFilter<AuditEntryDoc>[],
): Promise<{ source: ListSource<AuditEntryDoc>; present: (rows: AuditEntryDoc[]) => Promise<Disclosure[]> }> {
  const shown = await recordsAbout(gateway, viewer, only);
  const among = { $in: [...shown.keys()].map(oid) };
  const filter: QueryFilter<AuditEntryDoc> = {
    $or: [{ record: among }, { type: 'profile.exported', records: among }],
    type: { $in: disclosureActions },
    status: 'success',
    actor: { $ne: viewer._id },
    $nor: [{ type: { $in: [...lookActions] }, reason: sameLook }],
    ...(narrowed.length > 0 ? { $and: narrowed } : {}),
  };
  return {
    source: { model: gateway.models.AuditEntry, filter, sort: ['at', 'seq'], direction: -1 },
    present: (rows) => presentDisclosures(gateway, shown, rows),
  };
}

async function presentDisclosures(
  gateway: Gateway,
  shown: Map<string, Disclosure['image']>,
  rows: AuditEntryDoc[],
): Promise<Disclosure[]> {
  const given = await accessOf(gateway, rows);
  const name = await namesOf(gateway.models, [
    ...rows.map(({ actor }) => actor),
    ...[...given.values()].map(({ recipient }) => recipient),
  ]);
  return rows.flatMap((row) => {
    const access = (row.records ?? []).flatMap((id) => given.get(String(id)) ?? [])[0];
    const named = [row.record, ...(row.type === 'profile.exported' ? (row.records ?? []) : [])];
    const images = new Set(named.flatMap((id) => shown.get(String(id)) ?? []));
    return [...images].map(
      (image): Disclosure => ({
        id: String(row._id),
        at: row.at.toISOString(),
        kind: disclosureKind(row.type, row.reason),
        image,
        by: row.actor ? name(row.actor) : null,
        to: access ? receiverOf(access, name) : null,
        until: access?.until ?? null,
      }),
    );
  });
}

/**
 * Returns the images and studies that show the viewer as the patient, as the policy of the timeline allows it. Each has
 * the name under which the list shows it: an image of a study has that of the study.
 */
export async function recordsAbout(
  { models, clock }: Gateway,
  viewer: Viewer,
  only?: string,
): Promise<Map<string, Disclosure['image']>> {
  const images = await models.Image.find(
    { patient: viewer._id, audience: viewer._id, ...(only ? { $or: [{ _id: oid(only) }, { study: oid(only) }] } : {}) },
    { caption: 1, owner: 1, patient: 1, study: 1 },
  ).lean<ImageDoc[]>();
  if (images.length === 0) return new Map();
  const shares = await models.Share.find({
    ...covering(images),
    recipient: viewer._id,
    ...liveShare(clock.now()),
  }).lean<ShareDoc[]>();
  const sharesOfImage = sharesByTarget(shares);
  const allowed = images.flatMap((image) => {
    const mine = sharesOfImage(image);
    if (!imageRules.timeline(viewer, imageFacts(image, mine, noGrounds))) return [];
    const known = studyFor(viewer, image, mine, noGrounds);
    // Of a study of which the viewer has copies, this image alone is theirs.
    const studyId = known?.form === 'original' ? known.id : null;
    return [{ id: String(image._id), name: image.caption, studyId }];
  });
  const ids = new Set(allowed.flatMap(({ studyId }) => studyId ?? []));
  const studies = await models.Study.find({ _id: { $in: [...ids].map(oid) } }, { title: 1, images: 1 }).lean<
    StudyDoc[]
  >();
  // A study of one image looks like that image.
  const nameOf = ({ _id, title, images: count }: StudyDoc): string =>
    (count === 1 && allowed.find(({ studyId }) => studyId === String(_id))?.name) || title;
  const shown = new Map(studies.map((study) => [String(study._id), { id: String(study._id), name: nameOf(study) }]));
  for (const { id, name, studyId } of allowed) {
    shown.set(id, (studyId && shown.get(studyId)) || { id, name });
  }
  return shown;
}

interface Access {
  /** Absent for a guest link. */
  recipient?: ObjectId;
  guest: string | null;
  until: string | null;
}

/** Returns the shares and guest links that the entries name, by their ids. */
async function accessOf({ models, keys }: Gateway, entries: AuditEntryDoc[]): Promise<Map<string, Access>> {
  const named = entries.flatMap(({ type, records }) => (type === 'profile.exported' ? [] : (records ?? [])));
  const among = { _id: { $in: named } };
  const [shares, links] = await Promise.all([
    models.Share.find(among, { recipient: 1, expiresAt: 1 }).lean<ShareDoc[]>(),
    models.GuestLink.find(among, { email: 1, expiresAt: 1 }).lean<GuestLinkDoc[]>(),
  ]);
  return new Map<string, Access>([
    ...shares.map(
      ({ _id, recipient, expiresAt }) =>
        [String(_id), { recipient, guest: null, until: expiresAt?.toISOString() ?? null }] as const,
    ),
    ...links.map(
      (link) =>
        [String(link._id), { guest: openField(keys, link, 'email'), until: link.expiresAt.toISOString() }] as const,
    ),
  ]);
}

const receiverOf = ({ recipient, guest }: Access, name: Awaited<ReturnType<typeof namesOf>>): DisclosedTo =>
  recipient ? { user: name(recipient) } : { guest };
