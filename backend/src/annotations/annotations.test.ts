import type { Mark } from '@lightbox/contract/annotations/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
import {
  buildAdmin,
  buildEmergency,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
} from '../testing/factories.js';
import { layerCalls, layerPath, line, probe } from '../testing/layers.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let owner: Person;
beforeAll(async () => {
  owner = await buildProvider(test.gateway);
});

const { read, put, save } = layerCalls({ api });
const arrow = (text: string): Mark => line({ kind: 'arrow', text });

describe('the layers of an image', () => {
  it('A layer is kept for its author alone until it is shared. Then everybody who may open the image reads it.', async () => {
    const image = await buildImage(test.gateway, { owner });
    const patient = await buildPatient(test.gateway);
    await buildShare(test.gateway, { image, recipient: patient, verified: true });
    const copyHolder = await buildProvider(test.gateway);
    await buildShare(test.gateway, { image, recipient: copyHolder, verified: true, deidentified: true });
    const marks = [line(), arrow('See here, Mrs. Ünal')];
    const kept = await save(owner, image, { marks });
    expect(kept).toMatchObject({ imageId: image.id, author: { id: owner.id }, shared: false, marks });
    expect((await read(owner, image)).layers).toEqual([kept]);
    expect(await read(patient, image)).toEqual({ layers: [], mayAnnotate: true });

    const shared = await save(owner, image, { version: kept.version, shared: true, marks });
    expect(shared.version).toBe(kept.version + 1);
    expect((await read(patient, image)).layers).toEqual([shared]);
    // The texts may name the patient, so a copy without identity has no layers.
    expect(await read(copyHolder, image)).toEqual({ layers: [], mayAnnotate: false });

    const stored = await test.gateway.models.Annotation.findOne({ image: image._id }).lean();
    expect(JSON.stringify(stored)).not.toContain('Mrs');
    expect(stored?.marks.toString('latin1')).not.toContain('Mrs');
    const entries = await test.gateway.models.Event.find({ record: image._id }).lean();
    expect(JSON.stringify(entries)).not.toContain('Mrs');
  });

  it('A provider in an emergency reads the shared layers, and keeps none.', async () => {
    const patient = await buildPatient(test.gateway);
    const image = await buildImage(test.gateway, { owner, patient: patient._id });
    const helper = await buildProvider(test.gateway);
    await buildEmergency(test.gateway, { provider: helper, patient });
    const shared = await save(owner, image, { shared: true, marks: [line()] });
    expect(await read(helper, image)).toEqual({ layers: [shared], mayAnnotate: false });
    await put(helper, image, { marks: [line()] }).expect(403);
  });

  it('A guest reads shared layers without the names of their authors.', async () => {
    const image = await buildImage(test.gateway, { owner });
    await save(owner, image, { shared: true, marks: [line()] });
    await save(await buildAdmin(test.gateway), image, { marks: [line()] });
    const made = await api.as(owner).post('/sharing/guest', { imagemetadataId: image.id }).expect(201);
    const { url, code } = made.body.data;
    const { pathname, hash } = new URL(url);
    const link = pathname.replace('/guest/', '') + hash.replace('#', '.');
    const opened = await api.as(null).post('/guest/open', { link, code }).expect(200);
    const guest = { ...owner, token: opened.body.data.token };
    const { layers, mayAnnotate } = await read(guest, image);
    expect(mayAnnotate).toBe(false);
    expect(layers).toHaveLength(1);
    expect(layers[0]).not.toHaveProperty('author');
  });

  it('Two patients of one image do not learn of each other by their marks.', async () => {
    const image = await buildImage(test.gateway, { owner });
    const [one, other] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    for (const recipient of [one, other]) await buildShare(test.gateway, { image, recipient, verified: true });
    await save(one, image, { shared: true, marks: [line()] });
    expect((await read(other, image)).layers).toEqual([expect.not.objectContaining({ author: expect.anything() })]);
    expect((await read(owner, image)).layers).toMatchObject([{ author: { id: one.id } }]);
  });

  it('The layers of a study come in one answer.', async () => {
    const image = await buildStudy(test.gateway, { owner });
    const layer = await save(owner, image, { marks: [line()] });
    const { body } = await api.as(owner).get(`/studies/${image.study}/annotations`).expect(200);
    expect(body.data).toEqual({ layers: [layer], mayAnnotate: true });
  });

  it('Of two windows that save the same version, one is refused, and nothing of the other is lost.', async () => {
    const image = await buildImage(test.gateway, { owner });
    const { version } = await save(owner, image, { marks: [line()] });
    const [one, other] = [[line()], [line()]];
    const answers = await Promise.all([one, other].map((marks) => put(owner, image, { version, marks })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error).toBe('MARKS_CHANGED');
    const won = answers.find(({ status }) => status === 200)?.body.data;
    expect((await read(owner, image)).layers).toEqual([won]);

    // A new layer never has the version of one that was removed.
    await api.as(owner).del(layerPath(image)).expect(200);
    expect((await read(owner, image)).layers).toEqual([]);
    const again = await save(owner, image, { marks: [] });
    await put(owner, image, { version: won.version }).expect(409);
    expect(again.version).not.toBe(won.version);
  });

  it.each([
    [
      'a point that is no number',
      [
        line({
          points: [
            [Number.NaN, 1],
            [2, 2],
          ],
        }),
      ],
    ],
    [
      'a point that is infinite',
      [
        line({
          points: [
            [Number.POSITIVE_INFINITY, 1],
            [2, 2],
          ],
        }),
      ],
    ],
    [
      'a point far beside every picture',
      [
        line({
          points: [
            [1e9, 1],
            [2, 2],
          ],
        }),
      ],
    ],
    ['too few points', [line({ points: [[1, 1]] })]],
    ['too many points', [line({ points: Array.from({ length: 5 }, () => [1, 1]) })]],
    ['a frame that the image does not have', [line({ frame: 2 })]],
    ['a text at a length', [line({ text: 'x' })]],
    ['a text that is too long', [arrow('x'.repeat(limits.markText + 1))]],
    ['too many marks', Array.from({ length: limits.marks + 1 }, () => line())],
    [
      'two marks with one id',
      [line({ id: 'b5c3c2d0-0f6c-4c52-8a5e-0a4f6f1e2d3c' }), line({ id: 'b5c3c2d0-0f6c-4c52-8a5e-0a4f6f1e2d3c' })],
    ],
    ['values of pixels at a length', [line({ pixels: { mean: 1 } })]],
    ['a value of pixels that no picture has', [probe({ mean: 1e13 })]],
    ['a value of pixels that is no number', [probe({ mean: '40' as unknown as number })]],
    ['a deviation at a probe', [probe({ mean: 1, deviation: 1 })]],
    ['an unknown field', [{ ...line(), value: 12 }]],
  ] as [string, Mark[]][])('%s is refused, and nothing is kept', async (_, marks) => {
    const image = await buildImage(test.gateway, { owner, frames: 1 });
    await put(owner, image, { marks }).expect(422);
    expect((await read(owner, image)).layers).toEqual([]);
  });

  it('The largest layer fits into a request, and markup in a text comes back as it was written.', async () => {
    const image = await buildImage(test.gateway, { owner });
    const text = '<img src=x onerror=alert(1)>'.padEnd(limits.markText, '文');
    const marks = Array.from({ length: limits.marks }, () => arrow(text));
    expect((await save(owner, image, { marks })).marks).toEqual(marks);
  });

  it('Everybody who may open the image hears of a change of a shared layer, and nobody else of a private one.', async () => {
    const share = await buildShare(test.gateway, { verified: true });
    const { image } = share;
    const [mine, theirs] = [
      await connectSocket(test.url, { token: image.owner.token }),
      await connectSocket(test.url, { token: share.recipient.token }),
    ];
    const layer = await save(image.owner, image, { marks: [line()] });
    await expect.poll(() => mine.seen('annotations:changed')).toEqual([{ imageId: image.id }]);
    await save(image.owner, image, { version: layer.version, shared: true, marks: layer.marks });
    await expect.poll(() => mine.seen('annotations:changed')).toHaveLength(2);
    await expect.poll(() => theirs.seen('annotations:changed')).toEqual([{ imageId: image.id }]);
    // The end of the share ends the access to the layer.
    await api.as(image.owner).del(`/sharing/${share.id}`).expect(200);
    await api.as(share.recipient).get(layerPath(image)).expect(404);
    await put(share.recipient, image, { marks: [] }).expect(404);
    mine.socket.close();
    theirs.socket.close();
  });

  it('The removal of a layer that is not there is no entry of the log, and no fault.', async () => {
    const image = await buildImage(test.gateway, { owner });
    await save(owner, image, { marks: [line()] });
    for (let i = 0; i < 3; i++) await api.as(owner).del(layerPath(image)).expect(200);
    const removed = { record: image._id, type: 'annotation.removed' as const };
    expect(await test.gateway.models.Event.countDocuments(removed)).toBe(1);
  });

  it('Layers are removed with their image, and with the account of their author.', async () => {
    const { Annotation } = test.gateway.models;
    const author = await buildAdmin(test.gateway);
    const [gone, stays] = [await buildImage(test.gateway, { owner }), await buildImage(test.gateway, { owner })];
    for (const image of [gone, stays]) {
      await save(author, image, { shared: true, marks: [line()] });
      await save(owner, image, { shared: true, marks: [line()] });
    }
    await api.as(owner).del(`/upload/image/${gone.id}`).expect(200);
    expect(await Annotation.countDocuments({ image: gone._id })).toBe(0);
    await api
      .as(await buildAdmin(test.gateway))
      .del(`/users/${author.id}`)
      .expect(200);
    expect((await read(owner, stays)).layers.map((layer) => layer.author?.id)).toEqual([owner.id]);
  });
});
