import type { Emergency } from '@lightbox/contract/emergencies/calls.js';
import { emergencyRules } from '@lightbox/contract/emergencies/policy.js';
import type { ByEmergency } from '@lightbox/contract/emergencies/schemas.js';
import { isLiveEmergency } from '@lightbox/contract/emergencies/states.js';
import { partiesOf } from '@lightbox/core/access/emergencies.js';
import { openText } from '@lightbox/core/emergencies/sealed.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { Gateway, Viewer } from '../context.js';
import { namesOf } from '../users/names.js';

/** Presents the access in an image or a study that the viewer opens by it. */
export const presentBy = ({ _id, until }: EmergencyDoc): ByEmergency => ({
  id: String(_id),
  until: until.toISOString(),
});

/** Presents records of emergency access. The patient gets no part of the review. */
export async function presentEmergencies(
  gateway: Gateway,
  viewer: Pick<Viewer, 'id' | 'role'>,
  emergencies: readonly EmergencyDoc[],
): Promise<Emergency[]> {
  const { models, keys, clock } = gateway;
  const now = clock.now();
  const name = await namesOf(
    models,
    emergencies.flatMap(({ provider, patient, question, approval }) => [provider, patient, question?.by, approval?.by]),
  );
  return emergencies.map((one) => {
    const said = (field: 'question' | 'answer' | 'approval') => {
      const found = one[field];
      return (
        found && { by: name(found.by), at: found.at.toISOString(), text: openText(keys, one._id, field, found.text) }
      );
    };
    const [question, answer, approval] = [said('question'), said('answer'), said('approval')];
    return {
      id: String(one._id),
      provider: name(one.provider),
      patient: name(one.patient),
      reason: openText(keys, one._id, 'reason', one.reason),
      from: one.from.toISOString(),
      until: one.until.toISOString(),
      ...(isLiveEmergency(one, now) ? {} : { endedAt: (one.endedAt ?? one.until).toISOString() }),
      ...(emergencyRules.seeReview(viewer, partiesOf(one))
        ? {
            review: {
              state: one.state,
              ...(question ? { question } : {}),
              ...(answer ? { answer } : {}),
              ...(approval ? { approval } : {}),
            },
          }
        : {}),
    };
  });
}

export async function presentEmergency(gateway: Gateway, viewer: Viewer, emergency: EmergencyDoc): Promise<Emergency> {
  const [shown] = await presentEmergencies(gateway, viewer, [emergency]);
  return shown as Emergency;
}
