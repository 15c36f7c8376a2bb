import type { DataOf } from '@lightbox/contract/call.js';
import type { GuestLink, guestCalls } from '@lightbox/contract/guests/calls.js';
import { guestLinkState } from '@lightbox/contract/guests/states.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { liveLink } from '@lightbox/core/access/guests.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import { covering, sharesOf } from '@lightbox/core/access/shares.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { aboutLink, endGuestLinks } from '@lightbox/core/guests/endGuestLinks.js';
import { guestUrl } from '@lightbox/core/guests/guestUrl.js';
import { openField, sealField } from '@lightbox/core/guests/sealed.js';
import { codeOf, linkTokenOf, newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { ownerOf } from '@lightbox/core/sharing/shareTarget.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import type { Answer, Context, Gateway } from '../context.js';
import { mayMailAddress } from '../sharing/mailLimits.js';
import { namesOfTarget } from '../sharing/present.js';
import { holdTarget, requireTarget } from '../sharing/targets.js';

type Made = DataOf<typeof guestCalls.createGuestLink>;

export async function createGuestLink({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof guestCalls.createGuestLink>): Promise<Answer<Made>> {
  const { email, note, download, maxOpens } = body;
  const { target } = await requireTarget(gateway, viewer, { imageId: body.imagemetadataId, studyId: body.studyId });
  const earlier = await gateway.events.earlier(actor);
  if (earlier) return { data: await presentMade(gateway, earlier) };
  const hours = body.expiresInHours ?? (await gateway.settings.get('sharing.expiryHours'));
  const mailed = email !== undefined && (await mayMailAddress(gateway, 'guestMail', email));
  const id = await gateway.events.change(actor, async (tx) => {
    const { owner, image } = await holdTarget(gateway, tx, target);
    // The end of the maker's account, or of the role, ends the links that it finds. None is made beside it.
    const maker = { _id: viewer._id, role: viewer.role };
    if (!(await holdUser(gateway.models, maker, tx.session))) throw new AppError('AUTHENTICATION_FAILED');
    const now = gateway.clock.now();
    const _id = newId(now);
    const link: GuestLinkDoc = {
      _id,
      image,
      ...(target.study ? { study: target.study } : {}),
      madeBy: viewer._id,
      createAt: now,
      expiresAt: new Date(now.getTime() + hours * HOUR_MS),
      maxOpens,
      opensLeft: maxOpens,
      tries: 0,
      download,
      ...(email ? { email: sealField(gateway.keys, _id, 'email', email) } : {}),
      ...(note ? { note: sealField(gateway.keys, _id, 'note', note) } : {}),
      mailed,
      ...newCodeSeed(gateway.keys.codes),
      live: true,
    };
    await gateway.models.GuestLink.create([link], { session: tx.session });
    const { refs, ...about } = aboutLink(link);
    tx.record({
      type: 'guest.created',
      ...about,
      owners: [owner],
      recipients: [owner, viewer._id],
      refs: { ...refs, ...(mailed ? { mailed: _id } : {}) },
    });
    return _id;
  });
  return { data: await presentMade(gateway, id) };
}

async function presentMade({ models, keys, config }: Gateway, id: ObjectId): Promise<Made> {
  const link = await models.GuestLink.findById(id).lean<GuestLinkDoc>();
  const code = link && codeOf(keys.codes, String(id), link);
  const token = link && linkTokenOf(keys.codes, String(id), link);
  if (!link || !code || !token) throw new AppError('NOT_FOUND');
  const { expiresAt, maxOpens, mailed } = link;
  return {
    id: String(id),
    url: guestUrl(config.publicUrl, token),
    code,
    expiresAt: expiresAt.toISOString(),
    maxOpens,
    mailed,
  };
}

export async function listGuestLinks({
  gateway,
  actor,
  viewer,
  query,
}: Context<typeof guestCalls.listGuestLinks>): Promise<Answer<GuestLink[]>> {
  const { models, clock, events } = gateway;
  const now = clock.now();
  const { target, owner } = await requireTarget(gateway, viewer, query);
  const image = await models.Image.findById(target.image, { study: 1 }).lean<ImageDoc>();
  const among = target.study || !image ? sharesOf(target) : covering([image]);
  const links = await models.GuestLink.find({ ...among, ...liveLink(now) })
    .sort({ createAt: -1 })
    .limit(500)
    .lean<GuestLinkDoc[]>();
  await events.record(actor, { type: 'guest.listed', record: target.study ?? target.image, owners: [owner] });
  return { data: links.map((link) => presentLink(gateway, link, now)) };
}

const presentLink = ({ keys }: Gateway, link: GuestLinkDoc, now: Date): GuestLink => ({
  id: String(link._id),
  ...namesOfTarget(link),
  state: guestLinkState(link, now),
  createAt: link.createAt.toISOString(),
  expiresAt: link.expiresAt.toISOString(),
  opens: link.maxOpens - link.opensLeft,
  maxOpens: link.maxOpens,
  download: link.download,
  email: openField(keys, link, 'email'),
  note: openField(keys, link, 'note'),
});

/** Ends a link of an image or a study that the viewer may share. It is `NOT_FOUND` for others. */
export async function revokeGuestLink({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof guestCalls.revokeGuestLink>): Promise<Answer<unknown>> {
  const link = await gateway.models.GuestLink.findById(oid(params.id)).lean<GuestLinkDoc>();
  const owner = link && (await ownerOf(gateway.models, link));
  if (!link || !owner) throw new AppError('NOT_FOUND');
  const facts = { ownerId: String(owner), patientId: null, share: null };
  if (!imageRules.share(viewer, facts)) throw new AppError('NOT_FOUND');
  await gateway.events.change(actor, async (tx) => {
    await endGuestLinks(gateway, tx, { _id: link._id }, 'guest.revoked');
    return link._id;
  });
  return { data: null };
}
