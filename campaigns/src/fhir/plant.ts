import { setTimeout as sleep } from 'node:timers/promises';
import { phantom } from '@lightbox/testkit/part10.js';
import type { Product } from '@lightbox/testkit/product.js';
import sharp from 'sharp';
import { call, data, postJson } from '../bench/client.js';
import { type FuzzRole, People } from '../fuzz/people.js';

export const readers = ['patient', 'healthProvider', 'admin'] as const satisfies FuzzRole[];
export type Tokens = Record<(typeof readers)[number], string>;

const SHARED = 'An image was shared with you';
/** The phantom names nobody of the demonstration. */
const mismatchReason = 'A phantom for the check of FHIR';

/**
 * Plants a study, a picture and a signed analysis of the demonstration's patient, and two answers to the question of consent.
 * Returns a token for FHIR for each role.
 */
export async function plant(product: Product): Promise<Tokens> {
  const people = await People.of(product);
  const api = `${product.url}/api`;
  const sessions = {} as Tokens;
  for (const role of readers) sessions[role] = (await people.token(role)) ?? '';
  const get = async <T>(path: string, token: string) => data<T>(call(`${api}${path}`, { token }));
  const provider = sessions.healthProvider;
  const { id: patientId } = await get<{ id: string }>('/users/profile', sessions.patient);

  const upload = async (bytes: Buffer, caption: string) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ caption, patientId, mismatchReason })) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(bytes)]), 'file');
    const headers = { Authorization: `Bearer ${provider}` };
    const answer = await fetch(`${api}/upload/image`, { method: 'POST', headers, body: form });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  for (const instance of [1, 2]) await upload(phantom({ study: '90017', instance, z: instance }), 'Phantom');
  const grey = { create: { width: 64, height: 64, channels: 3 as const, background: '#888' } };
  const picture = await upload(await sharp(grey).png().toBuffer(), 'Left hand');

  const email = people.email('patient');
  const codes = async () => {
    const mails = await product.mailbox.waitFor(email, SHARED, 2);
    return mails.flatMap(({ text }) => {
      const ids = [...text.matchAll(/^Sharing id: ([0-9a-f]{24})$/gm)].map(([, id]) => id);
      const all = [...text.matchAll(/^Code: (\d{6})$/gm)].map(([, code]) => code);
      return ids.map((id, i) => ({ sharingRequestId: id, verificationCode: all[i] }));
    });
  };
  for (const body of await codes()) {
    const reply = await postJson(`${api}/sharing/verify`, body, sessions.patient);
    if (reply.status >= 300) throw new Error(`The share cannot be verified: ${reply.body}`);
  }

  for (;;) {
    const analysis = await get<{ status: string; version?: number }>(`/analyze/${picture}`, provider);
    if (analysis.status === 'failed') throw new Error('The analysis failed.');
    if (analysis.status === 'completed') {
      await data(postJson(`${api}/analyze/${picture}/sign`, { version: analysis.version, comment: 'Seen.' }, provider));
      break;
    }
    await sleep(500);
  }
  for (const analysis of ['granted', 'refused']) {
    const body = Buffer.from(JSON.stringify({ analysis }));
    const wanted = { method: 'PUT', token: sessions.patient, type: 'application/json', body };
    await data(call(`${api}/users/profile/consents`, wanted));
  }
  const tokens = {} as Tokens;
  for (const role of readers) {
    const made = postJson(`${api}/auth/tokens`, { name: 'FHIR', scopes: ['fhir'], days: 1 }, sessions[role]);
    tokens[role] = (await data<{ token: string }>(made)).token;
  }
  return tokens;
}
