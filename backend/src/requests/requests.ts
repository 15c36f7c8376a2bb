import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { HeldRequest, ImageRequest, requestCalls } from '@lightbox/contract/requests/calls.js';
import { texts } from '@lightbox/contract/texts.js';
import { touch } from '@lightbox/core/access/hold.js';
import { openRequest } from '@lightbox/core/access/requests.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import { sealField } from '@lightbox/core/guests/sealed.js';
import { linkTokenOf, newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ImageRequestDoc } from '@lightbox/core/models/imageRequest.js';
import { moveRequest } from '@lightbox/core/requests/moveRequest.js';
import { removeLeftovers } from '@lightbox/core/requests/removeHeld.js';
import { sendUrl } from '@lightbox/core/requests/sendUrl.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { findPatient } from '../images/admitImage.js';
import { presentImages } from '../images/present.js';
import { mayMailAddress } from '../sharing/mailLimits.js';
import { presentRequests } from './present.js';

type Made = DataOf<typeof requestCalls.createRequest>;

export async function createRequest({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof requestCalls.createRequest>): Promise<Answer<Made>> {
  const { models, clock, keys } = gateway;
  const { kind, email, note, patientId, expiresInHours } = body;
  const earlier = await gateway.events.earlier(actor);
  if (earlier) return { data: await presentMade(gateway, earlier) };
  const patient = patientId === undefined ? undefined : await findPatient(gateway, viewer, patientId);
  if (patient === null) throw fieldError('patientId', texts.notYourPatient);
  const id = await gateway.events.change(actor, async (tx) => {
    const now = clock.now();
    // Two windows that take the last place at once conflict here.
    await models.User.updateOne({ _id: viewer._id }, touch, { session: tx.session });
    const open = { by: viewer._id, ...openRequest(now) };
    const count = await models.ImageRequest.countDocuments(open).session(tx.session);
    if (count >= limits.openRequests) throw new AppError('TOO_MANY_REQUESTS_OPEN');
    const mailed =
      email !== undefined && (await tx.once('requestMail', () => mayMailAddress(gateway, 'requestMail', email)));
    const _id = newId(now);
    const request: ImageRequestDoc = {
      _id,
      by: viewer._id,
      kind,
      state: 'waiting',
      createAt: now,
      expiresAt: new Date(now.getTime() + expiresInHours * HOUR_MS),
      ...(patient ? { patient: patient._id } : {}),
      ...(email ? { email: sealField(keys, _id, 'email', email) } : {}),
      ...(note ? { note: sealField(keys, _id, 'note', note) } : {}),
      mailed,
      files: 0,
      bytes: 0,
      ...newCodeSeed(keys.codes),
    };
    await models.ImageRequest.create([request], { session: tx.session });
    tx.record({
      type: 'request.created',
      record: _id,
      owners: [viewer._id],
      recipients: [viewer._id],
      refs: mailed ? { mailed: _id } : {},
    });
    return _id;
  });
  return { data: await presentMade(gateway, id) };
}

async function presentMade({ models, keys, config }: Gateway, id: ObjectId): Promise<Made> {
  const request = await models.ImageRequest.findById(id).lean<ImageRequestDoc>();
  const token = request && linkTokenOf(keys.codes, String(id), request);
  if (!request || !token) throw new AppError('NOT_FOUND');
  const { expiresAt, mailed } = request;
  return { id: String(id), url: sendUrl(config.publicUrl, token), expiresAt: expiresAt.toISOString(), mailed };
}

export async function listRequests({
  gateway,
  viewer,
  query,
}: Context<typeof requestCalls.listRequests>): Promise<Answer<ImageRequest[]>> {
  const mine = { by: viewer._id };
  const { rows, pagination } = await gateway.pages.list<ImageRequestDoc>(
    { model: gateway.models.ImageRequest, filter: mine, sort: ['createAt', '_id'], direction: -1 },
    query,
  );
  return { data: await presentRequests(gateway, rows), pagination };
}

/** Returns one's own request. It is `NOT_FOUND` for everybody else. */
export async function requireRequest({ models }: Gateway, viewer: Viewer, id: string): Promise<ImageRequestDoc> {
  const request = await models.ImageRequest.findOne({ _id: oid(id), by: viewer._id }).lean<ImageRequestDoc>();
  if (!request) throw new AppError('NOT_FOUND');
  return request;
}

export async function getRequest({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof requestCalls.getRequest>): Promise<Answer<HeldRequest>> {
  const request = await requireRequest(gateway, viewer, params.id);
  const held =
    request.state === 'received'
      ? await gateway.models.Image.find({ 'held.request': request._id, isLead: true })
          .sort({ createAt: 1, _id: 1 })
          .limit(limits.heldShown)
          .lean<ImageDoc[]>()
      : [];
  const images = await presentImages(gateway, viewer, held, { grouped: true });
  await gateway.events.record(actor, {
    type: 'request.read',
    record: request._id,
    records: held.map(({ _id }) => _id),
    owners: [viewer._id],
  });
  const [shown] = await presentRequests(gateway, [request]);
  return { data: { ...(shown as ImageRequest), images } };
}

export async function revokeRequest({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof requestCalls.revokeRequest>): Promise<Answer<unknown>> {
  return end(gateway, actor, await requireRequest(gateway, viewer, params.id), 'revoke');
}

export async function declineRequest({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof requestCalls.declineRequest>): Promise<Answer<unknown>> {
  return end(gateway, actor, await requireRequest(gateway, viewer, params.id), 'decline');
}

/** Ends a request and removes its files. Maintenance goes on when this process dies in between. */
async function end(
  gateway: Gateway,
  actor: Context['actor'],
  { _id }: ImageRequestDoc,
  move: 'revoke' | 'decline',
): Promise<Answer<unknown>> {
  await gateway.events.change(actor, async (tx) => {
    await moveRequest(gateway, tx, _id, move);
    return _id;
  });
  await removeLeftovers(gateway, actor, _id);
  return { data: null };
}
