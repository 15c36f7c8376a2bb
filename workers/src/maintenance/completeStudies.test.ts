import { buildProvider, buildStudy } from '@lightbox/backend/testing/factories.js';
import { useGateway } from '@lightbox/backend/testing/useGateway.js';
import { limits } from '@lightbox/contract/limits.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { WebhookDoc } from '@lightbox/core/models/webhook.js';
import { newSecret, sealSecret } from '@lightbox/core/webhooks/secrets.js';
import { expect, it } from 'vitest';
import { completeStudies } from './completeStudies.js';

const { test } = useGateway();

it('A study that a device sends is told to its owner once, when no further file comes.', async () => {
  const owner = await buildProvider(test.gateway);
  const { models, clock, keys } = test.gateway;
  const { study } = await buildStudy(test.gateway, { owner });
  const arrives = () => models.Study.updateOne({ _id: study }, { $set: { arrivedAt: clock.now() } });
  const told = () => models.Event.find({ type: 'study.complete', record: study }).lean();
  const webhook: WebhookDoc = {
    _id: newId(),
    user: owner._id,
    whole: false,
    by: owner._id,
    url: 'https://ehr.example.org/x',
    events: ['study.complete'],
    on: true,
    createAt: clock.now(),
    secret: sealSecret(keys, newId(), newSecret()),
  };
  await models.Webhook.create([webhook]);
  await arrives();
  await completeStudies(test.gateway);
  expect(await told()).toEqual([]);
  test.clock.forward({ seconds: limits.studyQuietSeconds });
  await Promise.all([completeStudies(test.gateway), completeStudies(test.gateway)]);
  await completeStudies(test.gateway);
  expect(await told()).toMatchObject([{ recipients: [owner._id], owners: [owner._id] }]);
  const deliveries = () => models.WebhookDelivery.find({ webhook: webhook._id }).lean();
  await expect.poll(deliveries).toMatchObject([{ type: 'study.complete', data: { studyId: String(study) } }]);
  // A further file of the study comes later.
  await arrives();
  test.clock.forward({ seconds: limits.studyQuietSeconds });
  await completeStudies(test.gateway);
  expect(await told()).toHaveLength(2);
});
