import type { DataOf } from '@lightbox/contract/call.js';
import type { Emergency, emergencyCalls } from '@lightbox/contract/emergencies/calls.js';
import { type EmergencyRule, emergencyRules } from '@lightbox/contract/emergencies/policy.js';
import { isLiveEmergency } from '@lightbox/contract/emergencies/states.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { coveredBy, liveEmergency, overdueEmergency, partiesOf } from '@lightbox/core/access/emergencies.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import { covering, openedOriginal } from '@lightbox/core/access/shares.js';
import { requireUser } from '@lightbox/core/access/users.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { endEmergencies } from '@lightbox/core/emergencies/endEmergencies.js';
import { sealText } from '@lightbox/core/emergencies/sealed.js';
import { holdSwitch, SWITCH } from '@lightbox/core/emergencies/switch.js';
import { AppError } from '@lightbox/core/errors.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { presentImages } from '../images/present.js';
import { waitingReviews } from '../overview/attention.js';
import { activeAdmins } from '../users/admins.js';
import { countPeopleRead } from '../users/bulkReads.js';
import { presentEmergencies, presentEmergency } from './present.js';

/** Returns the record; 404 when the viewer may not see it, 403 when the rule forbids the act. */
export async function requireEmergency(
  gateway: Gateway,
  viewer: Viewer,
  id: string,
  rule: EmergencyRule = 'see',
): Promise<EmergencyDoc> {
  const found = await gateway.models.Emergency.findById(oid(id)).readConcern(NEWEST).lean<EmergencyDoc>();
  if (!found || !emergencyRules.see(viewer, partiesOf(found))) throw new AppError('NOT_FOUND');
  if (!emergencyRules[rule](viewer, partiesOf(found))) throw new AppError('FORBIDDEN');
  return found;
}

async function requirePatient(gateway: Gateway, viewer: Viewer, id: string): Promise<ObjectId> {
  const { _id, role } = await requireUser(gateway, viewer, id);
  if (role !== 'patient') throw new AppError('NOT_FOUND');
  return _id;
}

const liveOf = ({ models, clock }: Gateway, provider: ObjectId, patient: ObjectId): Promise<EmergencyDoc | null> =>
  models.Emergency.findOne({ provider, patient, ...liveEmergency(clock.now()) })
    .readConcern(NEWEST)
    .lean<EmergencyDoc>();

/** True when the patient has an image that the provider cannot open. */
async function hasOthers({ models, clock }: Gateway, provider: ObjectId, patient: ObjectId): Promise<boolean> {
  const images = await models.Image.find({ ...coveredBy(patient), owner: { $ne: provider } }, { study: 1 }).lean<
    Pick<ImageDoc, '_id' | 'study'>[]
  >();
  if (images.length === 0) return false;
  const shares = await models.Share.find(
    { ...covering(images), recipient: provider, ...openedOriginal(clock.now()) },
    { image: 1, study: 1 },
  ).lean();
  const opened = new Set(shares.map(({ image, study }) => String(study ?? image)));
  return images.some(({ _id, study }) => !opened.has(String(_id)) && !(study && opened.has(String(study))));
}

type Asked = DataOf<typeof emergencyCalls.getPatientEmergency>;

export async function getPatientEmergency({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof emergencyCalls.getPatientEmergency>): Promise<Answer<Asked>> {
  const patient = await requirePatient(gateway, viewer, params.id);
  if ((await gateway.settings.get(SWITCH)) === 'no') return { data: { offered: false, emergency: null } };
  const live = await liveOf(gateway, viewer._id, patient);
  const offered = live !== null || (await hasOthers(gateway, viewer._id, patient));
  await gateway.events.record(actor, { type: 'emergency.asked', record: patient });
  // The answer tells if the patient has images elsewhere.
  await countPeopleRead(gateway, actor, viewer, [patient]);
  return { data: { offered, emergency: live && (await presentEmergency(gateway, viewer, live)) } };
}

export async function openEmergency({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<typeof emergencyCalls.openEmergency>): Promise<Answer<Emergency>> {
  const patient = await requirePatient(gateway, viewer, params.id);
  const admins = await activeAdmins(gateway);
  const _id = newId(gateway.clock.now());
  const id = await gateway.events
    .change(actor, async (tx) => {
      await holdSwitch(gateway, tx);
      if (!(await holdUser(gateway.models, { _id: patient, role: 'patient' }, tx.session))) {
        throw new AppError('NOT_FOUND');
      }
      const from = gateway.clock.now();
      const pair = { provider: viewer._id, patient };
      await endEmergencies(gateway, tx, { ...pair, ...overdueEmergency(from) }, 'expired');
      const emergency: EmergencyDoc = {
        _id,
        ...pair,
        reason: sealText(gateway.keys, _id, 'reason', body.reason),
        from,
        until: new Date(from.getTime() + limits.emergencyMinutes * 60_000),
        live: true,
        state: 'open',
        waits: true,
      };
      await gateway.models.Emergency.create([emergency], { session: tx.session });
      tx.record({
        type: 'emergency.opened',
        record: _id,
        owners: [patient],
        recipients: [viewer._id, patient, ...admins],
      });
      return _id;
    })
    .catch((error) => {
      throw isDuplicate(error) ? new AppError('CONFLICT') : error;
    });
  return { data: await presentEmergency(gateway, viewer, await requireEmergency(gateway, viewer, String(id))) };
}

export async function listEmergencyImages({
  gateway,
  actor,
  viewer,
  params,
  query,
}: Context<typeof emergencyCalls.listEmergencyImages>): Promise<Answer<Image[]>> {
  const patient = await requirePatient(gateway, viewer, params.id);
  const live = await liveOf(gateway, viewer._id, patient);
  if (!live) throw new AppError('NOT_FOUND');
  const { rows, pagination } = await gateway.pages.list<ImageDoc>(
    {
      model: gateway.models.Image,
      filter: { ...coveredBy(patient), isLead: true },
      sort: ['createAt', '_id'],
      direction: -1,
    },
    query,
  );
  const data = await presentImages(gateway, viewer, rows, { grouped: true });
  const ids = new Set(data.map(({ id }) => id));
  const shown = rows.filter(({ _id }) => ids.has(String(_id)));
  await gateway.events.record(actor, {
    type: 'image.list',
    records: [...shown.map(({ _id }) => _id), live._id],
    owners: shown.map(({ owner }) => owner),
  });
  return { data, pagination };
}

/** Administrators see all accesses, other people their own: those that they opened, or those to their images. */
export async function listEmergencies({
  gateway,
  actor,
  viewer,
  query,
}: Context<typeof emergencyCalls.listEmergencies>): Promise<Answer<Emergency[]>> {
  const own = viewer.role === 'patient' ? { patient: viewer._id } : { provider: viewer._id };
  const { rows, pagination } = await gateway.pages.list<EmergencyDoc>(
    {
      model: gateway.models.Emergency,
      filter: viewer.role === 'admin' ? {} : own,
      // For the patient, who does not see the review, the order is by time alone.
      sort: viewer.role === 'patient' ? ['_id'] : ['waits', '_id'],
      direction: -1,
    },
    query,
  );
  await gateway.events.record(actor, { type: 'emergency.listed', records: rows.map(({ _id }) => _id) });
  return { data: await presentEmergencies(gateway, viewer, rows), pagination };
}

export const countWaitingReviews = async ({
  gateway,
}: Context<typeof emergencyCalls.countWaitingReviews>): Promise<Answer<{ count: number }>> => ({
  data: await waitingReviews(gateway),
});

export async function endEmergency({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof emergencyCalls.endEmergency>): Promise<Answer<Emergency>> {
  const { _id } = await requireEmergency(gateway, viewer, params.id, 'end');
  await gateway.events.change(actor, async (tx) => {
    const found = await gateway.models.Emergency.findById(_id, null, { session: tx.session }).lean<EmergencyDoc>();
    const isOver = found !== null && !isLiveEmergency(found, gateway.clock.now());
    await endEmergencies(gateway, tx, { _id }, isOver ? 'expired' : '');
    return _id;
  });
  return { data: await presentEmergency(gateway, viewer, await requireEmergency(gateway, viewer, params.id)) };
}
