import type { TokenScope } from '@lightbox/contract/auth/personalTokens.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { expect } from 'vitest';
import { buildProvider, type Person } from './factories.js';
import type { useGateway } from './useGateway.js';

// biome-ignore lint/suspicious/noExplicitAny: data sets of any attributes
export type Json = any;

let last = 0;
/** Returns the unique part of the UIDs of a phantom's study. */
export const fresh = (): string => String(9_000 + last++);
export const uidOf = (study: string): string => `2.25.7${study}`;

export const boundary = 'the-boundary';
/** A part of a request that stores. */
export const part = (bytes: Buffer, type = 'application/dicom'): Buffer =>
  Buffer.concat([Buffer.from(`--${boundary}\r\nContent-Type: ${type}\r\n\r\n`), bytes, Buffer.from('\r\n')]);
export const end = Buffer.from(`--${boundary}--\r\n`);
export const related = `multipart/related; type="application/dicom"; boundary=${boundary}`;

/** Returns the bodies of the parts of an answer, and their types. */
export async function partsIn(answer: Response): Promise<{ type: string; bytes: Buffer }[]> {
  const [, mark = ''] = /boundary=(.+)$/.exec(answer.headers.get('content-type') ?? '') ?? [];
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  expect(text.endsWith(`--${mark}--\r\n`)).toBe(true);
  return text
    .split(`--${mark}`)
    .slice(1, -1)
    .map((one) => {
      const at = one.indexOf('\r\n\r\n');
      const [, type = ''] = /Content-Type: (.*)/.exec(one.slice(0, at)) ?? [];
      return { type: type.trim(), bytes: Buffer.from(one.slice(at + 4, -2), 'latin1') };
    });
}

/** Returns an answer in JSON. */
export const jsonOf = async (answer: Response): Promise<Json> => (await answer.json()) as Json;

/** Calls of DICOMweb to the gateway of a test file. */
export function dicomWebOf({ test, api }: ReturnType<typeof useGateway>) {
  const tokenOf = async (person: Person, scopes: TokenScope[] = ['dicom']): Promise<{ id: string; token: string }> => {
    const { body } = await api.as(person).post('/auth/tokens', { name: 'PACS', scopes, days: 1 }).expect(201);
    return body.data;
  };
  const ask = (token: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${test.url}/dicom-web${path}`, { headers: { Authorization: `Bearer ${token}`, ...headers } });
  const store = async (token: string, body: Buffer[], path = '/studies', type = related) => {
    const answer = await fetch(`${test.url}/dicom-web${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
      body: new Uint8Array(Buffer.concat(body)),
    });
    return { status: answer.status, type: answer.headers.get('content-type'), body: (await answer.json()) as Json };
  };
  const storeFiles = (token: string, files: Buffer[], path?: string) =>
    store(token, [...files.map((file) => part(file)), end], path);
  /** A provider with a token and a stored study of some slices. */
  const withStudy = async (slices = 3) => {
    const study = fresh();
    const owner = await buildProvider(test.gateway);
    const { token, id } = await tokenOf(owner);
    const files = Array.from({ length: slices }, (_, i) => phantom({ study, instance: i + 1, z: i }));
    expect((await storeFiles(token, files)).status).toBe(200);
    const path = `/studies/${uidOf(study)}`;
    const series = `${path}/series/${uidOf(study)}.1`;
    return { study, owner, token, id, files, path, series, instance: `${series}/instances/${uidOf(study)}.1.1` };
  };
  return { tokenOf, ask, store, storeFiles, withStudy };
}
export type StoredStudy = Awaited<ReturnType<ReturnType<typeof dicomWebOf>['withStudy']>>;
