import { deletionNeedsReason } from '@lightbox/contract/images/policy.js';
import type { studyCalls } from '@lightbox/contract/studies/calls.js';
import type { Study } from '@lightbox/contract/studies/schemas.js';
import { texts } from '@lightbox/contract/texts.js';
import { refreshCards } from '@lightbox/core/access/cards.js';
import { seenBy } from '@lightbox/core/access/grounds.js';
import { touch } from '@lightbox/core/access/hold.js';
import { requireStudy } from '@lightbox/core/access/studies.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { removeStudy } from '@lightbox/core/studies/removeStudy.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { findPatient } from '../images/admitImage.js';
import { recordLook } from '../images/looks.js';
import { seenStudy } from './checkOpen.js';
import { presentStudy } from './present.js';

/** Begins a study of pictures. It has no images yet, so nobody but its owner and administrators sees it. */
export async function createStudy({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof studyCalls.createStudy>): Promise<Answer<Study>> {
  const patient = body.patientId === undefined ? undefined : await findPatient(gateway, viewer, body.patientId);
  if (patient === null) throw fieldError('patientId', texts.notYourPatient);
  const study: StudyDoc = {
    _id: newId(gateway.clock.now()),
    owner: viewer._id,
    ...(patient ? { patient: patient._id } : {}),
    kind: 'pictures',
    title: body.title,
    modalities: [],
    createAt: gateway.clock.now(),
    images: 0,
    bytes: 0,
  };
  const id = await gateway.events.change(actor, async (tx) => {
    await gateway.models.Study.create([study], { session: tx.session });
    tx.record({ type: 'study.created', record: study._id, owners: [study.owner] });
    return study._id;
  });
  return { data: await show(gateway, viewer, String(id)) };
}

export async function getStudy(context: Context<typeof studyCalls.getStudy>): Promise<Answer<Study>> {
  const { gateway, viewer, params } = context;
  const access = await requireStudy(gateway.models, viewer, params.id, 'see', gateway.clock.now());
  const data = await presentStudy(gateway, viewer, access);
  await recordLook(context, 'study.read', seenStudy(access));
  return { data };
}

export async function updateStudy({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<typeof studyCalls.updateStudy>): Promise<Answer<Study>> {
  const { study } = await requireStudy(gateway.models, viewer, params.id, 'edit', gateway.clock.now());
  await gateway.events.change(actor, async (tx) => {
    const renamed = await gateway.models.Study.findOneAndUpdate(
      { _id: study._id },
      { $set: { title: body.title }, ...touch },
      { session: tx.session },
    ).lean<StudyDoc>();
    if (!renamed) throw new AppError('NOT_FOUND');
    if (renamed.lead) {
      const target = { image: renamed.lead, study: study._id };
      await refreshCards(gateway.models, target, gateway.clock.now(), tx.session);
    }
    tx.record({
      type: 'study.updated',
      record: study._id,
      owners: [renamed.owner],
      recipients: await seenBy(gateway, renamed, await audienceOf(gateway, renamed.lead, tx.session), tx.session),
    });
    return study._id;
  });
  return { data: await show(gateway, viewer, params.id) };
}

/** Returns the recipients of the study's shares. */
async function audienceOf(
  { models }: Gateway,
  lead: ObjectId | undefined,
  session: ClientSession,
): Promise<ObjectId[]> {
  const image = lead && (await models.Image.findById(lead, { audience: 1 }, { session }).lean<ImageDoc>());
  return image?.audience ?? [];
}

export async function deleteStudy({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<typeof studyCalls.deleteStudy>): Promise<Answer<unknown>> {
  const { study, facts } = await requireStudy(gateway.models, viewer, params.id, 'delete', gateway.clock.now());
  if (deletionNeedsReason(viewer, facts) && !body.reason) throw fieldError('reason', 'Please give a reason.');
  await removeStudy(gateway, actor, study._id, body.reason ?? '');
  return { data: null };
}

async function show(gateway: Gateway, viewer: Viewer, id: string): Promise<Study> {
  return presentStudy(gateway, viewer, await requireStudy(gateway.models, viewer, id, 'see', gateway.clock.now()));
}
