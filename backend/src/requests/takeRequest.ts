import type { DataOf } from '@lightbox/contract/call.js';
import type { requestCalls } from '@lightbox/contract/requests/calls.js';
import { texts } from '@lightbox/contract/texts.js';
import { refreshCards } from '@lightbox/core/access/cards.js';
import { touch } from '@lightbox/core/access/hold.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { moveRequest } from '@lightbox/core/requests/moveRequest.js';
import { openPersonIfWhole } from '@lightbox/core/users/profile.js';
import type { Answer, Context, Gateway } from '../context.js';
import { findPatient } from '../images/admitImage.js';
import { contradictions, patientMismatch } from '../images/patientGuard.js';
import { addShare, newAct } from '../sharing/addShares.js';
import { namedInFile } from './holdFile.js';
import { requireRequest } from './requests.js';

type Call = typeof requestCalls.takeRequest;

/**
 * Makes the images that a request holds ordinary images of the person who asked. When they name a patient, the patient
 * gets the same permanent share as with an upload.
 */
export async function takeRequest({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const { models, clock } = gateway;
  const request = await requireRequest(gateway, viewer, params.id);
  // While it waits, a file may still come that nobody has compared with the patient.
  if (request.state !== 'received') throw new AppError('CONFLICT');
  const ofRequest = { 'held.request': request._id };
  const patient = body.patientId === undefined ? undefined : await findPatient(gateway, viewer, body.patientId);
  if (patient === null) throw fieldError('patientId', texts.notYourPatient);
  const files = await models.Image.find(ofRequest, { dataKey: 1, held: 1 }).lean<ImageDoc[]>();
  const wrong = patient ? contradictionsOf(gateway, files, openPersonIfWhole(gateway, patient)) : [];
  if (wrong.length > 0 && !body.mismatchReason) throw patientMismatch(wrong);
  let images = 0;
  await gateway.events.change(actor, async (tx) => {
    const session = tx.session;
    const now = clock.now();
    const leads = await models.Image.find({ ...ofRequest, isLead: true }, { study: 1 }, { session }).lean<ImageDoc[]>();
    await moveRequest(gateway, tx, request._id, 'take', {
      records: leads.map(({ _id, study }) => study ?? _id),
      ...(wrong.length > 0 && body.mismatchReason ? { reason: body.mismatchReason } : {}),
    });
    const taken = {
      $unset: { held: 1 },
      // They stand first in the lists of the person, whenever they arrived.
      $set: { createAt: now, ...(patient ? { patient: patient._id } : {}) },
      ...touch,
    } as const;
    images = (await models.Image.updateMany(ofRequest, taken, { session })).modifiedCount;
    await models.Study.updateMany({ held: request._id }, taken, { session });
    const act = newAct();
    for (const { _id, study } of leads) {
      const target = { image: _id, ...(study ? { study } : {}) };
      if (!patient) {
        await refreshCards(models, target, now, session);
        continue;
      }
      const share = {
        ...target,
        sharedBy: viewer._id,
        recipient: patient._id,
        hours: null,
      };
      if (!(await addShare(gateway, tx, share, act))) throw fieldError('patientId', texts.notYourPatient);
    }
    return request._id;
  });
  return { data: { images } };
}

/** Returns the fields in which any of the files contradicts the patient. */
function contradictionsOf(gateway: Gateway, files: ImageDoc[], patient: Parameters<typeof contradictions>[1]) {
  return [...new Set(files.flatMap((image) => contradictions(namedInFile(gateway, image), patient)))];
}
