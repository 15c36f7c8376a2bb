import type { Carer, Carers, carerCalls } from '@lightbox/contract/carers/calls.js';
import { type CarerRule, carerRules } from '@lightbox/contract/carers/policy.js';
import { carerLook, carerMoves } from '@lightbox/contract/carers/states.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import { endCarers } from '@lightbox/core/carers/endCarers.js';
import { openAddress, sealAddress } from '@lightbox/core/carers/sealed.js';
import { requireCarers, SWITCH } from '@lightbox/core/carers/switch.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { DAY_MS } from '@lightbox/core/times.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { listCards } from '../images/listCards.js';
import { carerFacts, presentCarer, presentCarers } from './present.js';

/** Returns the record; 404 when the viewer may not see it, 409 when its state does not allow the act. */
async function requireCarer(gateway: Gateway, viewer: Viewer, id: string, rule: CarerRule): Promise<CarerDoc> {
  const found = await gateway.models.Carer.findById(oid(id)).readConcern(NEWEST).lean<CarerDoc>();
  if (!found || !carerRules.see(viewer, carerFacts(found))) throw new AppError('NOT_FOUND');
  if (!carerRules[rule](viewer, carerFacts(found))) throw new AppError('CONFLICT');
  return found;
}

/** A person sees the records that wait or last, and the newest that have ended after they were accepted. */
export async function listCarers({
  gateway,
  actor,
  viewer,
}: Context<typeof carerCalls.listCarers>): Promise<Answer<Carers>> {
  const { models } = gateway;
  const on = (await gateway.settings.get(SWITCH)) === 'yes';
  const all = async (who: object) =>
    presentCarers(gateway, viewer, [
      ...(await models.Carer.find({ ...who, live: true })
        .sort({ _id: -1 })
        .readConcern(NEWEST)
        .lean<CarerDoc[]>()),
      ...(await models.Carer.find({ ...who, live: false, acceptedAt: { $exists: true } })
        .sort({ _id: -1 })
        .limit(limits.endedCarersShown)
        .lean<CarerDoc[]>()),
    ]);
  const [mine, others] = await Promise.all([all({ patient: viewer._id }), all({ carer: viewer._id })]);
  await gateway.events.record(actor, { type: 'carer.listed', record: viewer._id });
  return { data: { on, mine, others } };
}

/**
 * Names a carer. A record is made for every address, so that the answer does not tell whether it has an account. Only an
 * active patient is invited.
 */
export async function nameCarer({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof carerCalls.nameCarer>): Promise<Answer<Carer>> {
  const { models, keys, clock } = gateway;
  const _id = newId(clock.now());
  const id = await gateway.events.change(actor, async (tx) => {
    const { session } = tx;
    await requireCarers(gateway, tx);
    // Written, so that two calls at once count each other's records.
    const patient = await holdUser(models, { _id: viewer._id, role: 'patient' }, session);
    if (!patient) throw new AppError('FORBIDDEN');
    if (patient.email === body.email) throw fieldError('email', 'This is your own address.');
    const live = await models.Carer.find({ patient: viewer._id, live: true }, null, { session }).lean<CarerDoc[]>();
    const named = await models.User.findOne({ email: body.email }, { _id: 1 }, { session }).lean<UserDoc>();
    const isNamed = ({ _id: record, address, carer }: CarerDoc) =>
      address ? openAddress(keys, record, address) === body.email : named !== null && carer?.equals(named._id);
    if (live.some(isNamed)) throw new AppError('CONFLICT');
    if (live.length >= limits.carersOfPatient) throw new AppError('TOO_MANY_CARERS');
    const carer = named && (await holdUser(models, { _id: named._id, role: 'patient' }, session));
    const now = clock.now();
    const record: CarerDoc = {
      _id,
      patient: viewer._id,
      ...(carer ? { carer: carer._id } : {}),
      address: sealAddress(keys, _id, body.email),
      state: 'waiting',
      live: true,
      createAt: now,
      expiresAt: new Date(now.getTime() + limits.carerDays * DAY_MS),
    };
    await models.Carer.create([record], { session });
    tx.record({ type: 'carer.named', record: _id, owners: [viewer._id], recipients: carer ? [carer._id] : [] });
    return _id;
  });
  return { data: await presentCarer(gateway, viewer, await requireCarer(gateway, viewer, String(id), 'see')) };
}

export async function acceptCarer({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof carerCalls.acceptCarer>): Promise<Answer<Carer>> {
  const { models, clock } = gateway;
  const { _id, patient } = await requireCarer(gateway, viewer, params.id, 'accept');
  await gateway.events.change(actor, async (tx) => {
    const { session } = tx;
    await requireCarers(gateway, tx);
    for (const person of [patient, viewer._id]) {
      if (!(await holdUser(models, { _id: person, role: 'patient' }, session))) throw new AppError('CONFLICT');
    }
    const helped = { carer: viewer._id, live: true, state: 'accepted' as const };
    if ((await models.Carer.countDocuments(helped, { session })) >= limits.patientsOfCarer) {
      throw new AppError('TOO_MANY_CARERS');
    }
    const now = clock.now();
    const changed = await models.Carer.updateOne(
      { _id, state: { $in: carerMoves.accept.from }, carer: viewer._id, expiresAt: { $gt: now } },
      { $set: { state: carerMoves.accept.to, acceptedAt: now }, $unset: { address: 1 } },
      { session },
    );
    if (changed.modifiedCount !== 1) throw new AppError('CONFLICT');
    tx.record({ type: 'carer.accepted', record: _id, owners: [patient], recipients: [patient, viewer._id] });
    return _id;
  });
  return { data: await presentCarer(gateway, viewer, await requireCarer(gateway, viewer, params.id, 'see')) };
}

/** Ends the record for both. A second call, as of the other person at the same moment, changes nothing. */
export async function endCarer({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof carerCalls.endCarer>): Promise<Answer<Carer>> {
  const { _id, patient } = await requireCarer(gateway, viewer, params.id, 'see');
  await gateway.events.change(actor, async (tx) => {
    const now = await gateway.models.Carer.findById(_id, null, { session: tx.session }).lean<CarerDoc>();
    const declines = now?.state === 'waiting' && !patient.equals(viewer._id);
    await endCarers(gateway, tx, { _id }, declines ? 'declined' : '');
    return _id;
  });
  return { data: await presentCarer(gateway, viewer, await requireCarer(gateway, viewer, params.id, 'see')) };
}

/** Lists the cards of the images that the patient has opened. The policy of images decides about each. */
export async function listCarerImages(context: Context<typeof carerCalls.listCarerImages>): Promise<Answer<Image[]>> {
  const { gateway, viewer, params, query } = context;
  const found = await gateway.models.Carer.findById(oid(params.id)).readConcern(NEWEST).lean<CarerDoc>();
  if (!found || !carerRules.help(viewer, carerFacts(found))) throw new AppError('NOT_FOUND');
  return listCards(
    { ...context, query: { ...query, sort: '-createAt' } },
    { person: found.patient, own: false, shared: true, waiting: false },
    { by: { record: found._id, reason: carerLook } },
  );
}
