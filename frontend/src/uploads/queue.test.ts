import { waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endSession } from '../auth/session';
import { ApiError } from '../lib/http';
import { forgetPrivate } from '../lib/private';
import { store } from '../lib/store';
import { answer } from '../lib/testing';
import type { Person } from '../users/PersonSearch';
import {
  addUploads,
  cancelUpload,
  cancelUploads,
  clearTray,
  continueUploads,
  decide,
  leaveToTray,
  pauseUploads,
  retryUploads,
  uploadAgain,
} from './queue';
import { findInterrupted, findUnfinished, interruptedAtom, keepUnfinished, unfinished } from './resumable';
import * as sending from './send';
import { fromFile } from './sources';
import { FakeXhr, sent, signIn } from './testing';
import { type Item, type ItemState, trayAtom } from './tray';

const id = (letter: string) => letter.repeat(24);
const patient = { id: id('b'), firstname: 'Hina', lastname: 'Farooq' } as Person;
const named = (name: string, content = name) => ({ source: fromFile(new File([content], name)), caption: name });
const items = () => store.get(trayAtom).items;
const states = () => items().map(({ state }) => state);
const one = (name: string): Item => {
  const found = items().find((item) => item.name === name);
  if (!found) throw new Error(`${name} is not in the tray.`);
  return found;
};
const until = (name: string, state: ItemState) => waitFor(() => expect(one(name).state).toBe(state));
const sentFiles = () => sent.map(({ body }) => (body.get('file') as File).name);
const refusal = (error: string, more: object = {}) => ({ message: 'No.', error, requestId: 'r', ...more });

let known: string | null;
beforeEach(() => {
  sent.length = 0;
  known = null;
  signIn();
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
  answer({ 'GET /upload/known': () => ({ body: { data: { imageId: known } } }) });
});
afterEach(() => vi.unstubAllGlobals());

describe('the queue', () => {
  it('Five files are on their way at once, each with a key of its own, and the next follows a finished one.', async () => {
    addUploads({ title: 'CT', patient, files: Array.from({ length: 7 }, (_, at) => named(`IM${at}`)) });
    await waitFor(() => expect(sent).toHaveLength(5));
    expect(new Set(sent.map(({ key }) => key)).size).toBe(5);
    expect(sent[0]?.body.get('patientId')).toBe(patient.id);
    sent[0]?.answer(201, { data: { id: id('1') } });
    await waitFor(() => expect(sent).toHaveLength(6));
    await waitFor(() => expect(states().filter((state) => state === 'done')).toHaveLength(1));
  });

  it('A pause stops what is under way, and continuing sends it again with the same key.', async () => {
    addUploads({ title: 'CT', files: [named('IM0')] });
    await waitFor(() => expect(sent).toHaveLength(1));
    pauseUploads();
    expect(sent[0]?.aborted).toBe(true);
    await until('IM0', 'waiting');
    continueUploads();
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.key).toBe(sent[0]?.key);
    // The server may have stored it before the pause. Then this upload stored it, and it is not an older file.
    known = id('9');
    sent[1]?.answer(201, { data: { id: id('1') } });
    await until('IM0', 'done');
  });

  it('A lost connection waits, and goes on by itself with the same key when it is back.', async () => {
    addUploads({ title: 'CT', files: [named('IM0')] });
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.lose();
    await waitFor(() => expect(store.get(trayAtom).waitingFor).toBe('connection'));
    expect(states()).toEqual(['waiting']);
    window.dispatchEvent(new Event('online'));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.key).toBe(sent[0]?.key);
    sent[1]?.answer(201, { data: { id: id('1') } });
    await until('IM0', 'done');
    expect(store.get(trayAtom).waitingFor).toBeUndefined();
  });

  it('A file that changed on the disk fails, and does not hold up the others as a lost connection would.', async () => {
    const changed = new File(['IM0'], 'IM0');
    addUploads({ title: 'CT', files: [{ source: fromFile(changed), caption: 'IM0' }, named('IM1')] });
    await waitFor(() => expect(sent).toHaveLength(2));
    vi.spyOn(changed, 'slice').mockReturnValue({
      arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')),
    } as never);
    sent[sentFiles().indexOf('IM0')]?.lose();
    await until('IM0', 'failed');
    expect(one('IM0').error).not.toBeInstanceOf(ApiError);
    expect(store.get(trayAtom).waitingFor).toBeUndefined();
  });

  it('A server that wants to wait is asked again after the time that it names.', async () => {
    addUploads({ title: 'CT', files: [named('IM0')] });
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.answer(429, refusal('TOO_MANY_REQUESTS'), { 'Retry-After': '1' });
    await waitFor(() => expect(store.get(trayAtom).waitingFor).toBe('limit'));
    await waitFor(() => expect(sent).toHaveLength(2));
  });

  it('A bad file fails with its reason, the others go on, and a retry has a new key.', async () => {
    addUploads({ title: 'CT', files: [named('bad'), named('good')] });
    await waitFor(() => expect(sent).toHaveLength(2));
    const [bad, good] = sentFiles()[0] === 'bad' ? sent : [...sent].reverse();
    bad?.answer(422, refusal('UNREADABLE_FILE'));
    good?.answer(201, { data: { id: id('1') } });
    await until('bad', 'failed');
    await until('good', 'done');
    expect(one('bad').error).toMatchObject({ code: 'UNREADABLE_FILE' });
    retryUploads(one('bad').id);
    await waitFor(() => expect(sent).toHaveLength(3));
    expect(sent[2]?.key).not.toBe(bad?.key);
  });

  it('A full storage stops the queue instead of failing with every file.', async () => {
    addUploads({ title: 'CT', files: Array.from({ length: 8 }, (_, at) => named(`IM${at}`)) });
    await waitFor(() => expect(sent).toHaveLength(5));
    sent[0]?.answer(409, refusal('QUOTA_REACHED'));
    await until(sentFiles()[0] ?? '', 'failed');
    expect(store.get(trayAtom).paused).toBe(true);
    sent[1]?.answer(201, { data: { id: id('1') } });
    await until(sentFiles()[1] ?? '', 'done');
    expect(states().filter((state) => state === 'waiting')).toHaveLength(3);
  });

  it('A file that is stored already is not sent before the person asks for it.', async () => {
    known = id('9');
    addUploads({ title: 'CT', files: [named('IM0')] });
    await until('IM0', 'known');
    expect(one('IM0').imageId).toBe(id('9'));
    expect(sent).toHaveLength(0);
    uploadAgain(one('IM0').id);
    await waitFor(() => expect(sent).toHaveLength(1));
  });

  const mismatch = refusal('PATIENT_MISMATCH', {
    errors: [{ field: 'patientName', message: 'The name in the file is different.' }],
  });
  const other = { id: id('c'), firstname: 'Sara', lastname: 'Malik' } as Person;
  it.each([
    ['a reason', { reason: 'Name changed after marriage.' }, [patient.id, 'Name changed after marriage.']],
    ['it another patient', { patient: other }, [other.id, null]],
    ['it no patient', { patient: undefined }, [null, null]],
  ])('A file of another patient stops all its group until the person gives %s.', async (_, decision, wanted) => {
    addUploads({ title: 'CT', patient, files: Array.from({ length: 7 }, (_, at) => named(`IM${at}`)) });
    await waitFor(() => expect(sent).toHaveLength(5));
    sent[0]?.answer(409, mismatch);
    await until(sentFiles()[0] ?? '', 'held');
    const [group] = store.get(trayAtom).groups;
    expect(group?.mismatch).toEqual(['patientName']);
    // The dialog says that none of them is stored.
    expect(sent.map(({ aborted }) => aborted)).toEqual([false, true, true, true, true]);
    expect(states().filter((state) => state === 'waiting')).toHaveLength(6);
    decide(group?.id ?? '', decision);
    await waitFor(() => expect(sent).toHaveLength(10));
    const bodies = sent.slice(5).map(({ body }) => [body.get('patientId'), body.get('mismatchReason')]);
    expect(bodies).toEqual(Array(5).fill(wanted));
    expect(new Set(sent.map(({ key }) => key)).size).toBe(10);
  });

  it('Pictures that are put together join one study, which is created once.', async () => {
    const heard = answer({
      'GET /upload/known': () => ({ body: { data: { imageId: null } } }),
      'POST /studies': () => ({ status: 201, body: { data: { id: id('5') } } }),
    });
    addUploads({ title: 'Wound', study: 'Wound', files: [named('a.jpg'), named('b.jpg')] });
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent.map(({ body }) => body.get('studyId'))).toEqual([id('5'), id('5')]);
    expect(heard.filter(({ path }) => path === '/studies')).toHaveLength(1);
  });

  it('An interrupted upload that goes on is no longer listed as interrupted.', () => {
    const begun = { fingerprint: 'f', hash: 'e'.repeat(64), url: '/api/upload/tus/1', size: 3, at: Date.now() };
    store.set(interruptedAtom, [begun]);
    addUploads({ title: 'CT', files: [named('IM0')], begun });
    expect(store.get(interruptedAtom)).toEqual([]);
    cancelUpload(one('IM0').id);
  });

  it('An upload of an earlier page whose file names another patient fails: there is nothing left to decide about.', async () => {
    const begun = { fingerprint: 'f', hash: 'e'.repeat(64), url: '/api/upload/tus/1', size: 3, at: Date.now() };
    const refused = new ApiError(409, 'PATIENT_MISMATCH', '', [{ field: 'patientName', message: 'Another one.' }]);
    vi.spyOn(sending, 'sendFile').mockRejectedValueOnce(refused);
    addUploads({ title: 'CT', files: [named('IM0')], begun });
    await until('IM0', 'failed');
    expect(one('IM0').error).toBe(refused);
    expect(store.get(trayAtom).groups[0]?.mismatch).toBeUndefined();
  });

  it('A cancelled file is stopped and leaves the tray.', async () => {
    addUploads({ title: 'CT', files: [named('IM0'), named('IM1')] });
    await waitFor(() => expect(sent).toHaveLength(2));
    cancelUpload(one('IM0').id);
    expect(sent[sentFiles().indexOf('IM0')]?.aborted).toBe(true);
    expect(items().map(({ name }) => name)).toEqual(['IM1']);
  });

  it('Acts on all of the tray leave the upload of a form alone, until it is left to the tray.', async () => {
    const form = addUploads({ title: 'Knee', files: [named('form')], attended: true });
    addUploads({ title: 'CT', files: [named('IM0')] });
    await waitFor(() => expect(sent).toHaveLength(2));
    const ofForm = () => sent.filter(({ body }) => (body.get('file') as File).name === 'form');
    pauseUploads();
    await until('IM0', 'waiting');
    expect(ofForm()[0]?.aborted).toBe(false);
    cancelUploads();
    clearTray();
    expect(items().map(({ name }) => name)).toEqual(['form']);
    expect(store.get(trayAtom).paused).toBe(false);
    addUploads({ title: 'CT', files: [named('IM1')] });
    await waitFor(() => expect(sent).toHaveLength(3));
    pauseUploads();
    ofForm()[0]?.answer(500, refusal('INTERNAL'));
    await until('form', 'failed');
    // The form may show another patient by now, so only the form sends it again.
    retryUploads();
    await until('IM1', 'sending');
    expect(ofForm()).toHaveLength(1);
    pauseUploads();
    retryUploads(one('form').id);
    await waitFor(() => expect(ofForm()).toHaveLength(2));
    pauseUploads();
    expect(ofForm()[1]?.aborted).toBe(false);
    leaveToTray(form);
    await until('form', 'waiting');
  });

  it('Closing the page asks while files are under way, and not afterwards.', async () => {
    const asks = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(asks()).toBe(false);
    addUploads({ title: 'CT', files: [named('IM0')] });
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(asks()).toBe(true);
    sent[0]?.answer(201, { data: { id: id('1') } });
    await until('IM0', 'done');
    expect(asks()).toBe(false);
  });

  it('The end of the session ends every upload and removes every name.', async () => {
    addUploads({ title: 'CT', files: [named('IM0')] });
    await waitFor(() => expect(sent).toHaveLength(1));
    endSession('logout');
    expect(sent[0]?.aborted).toBe(true);
    expect(items()).toEqual([]);
    sent[0]?.answer(201, { data: { id: id('1') } });
    signIn();
    addUploads({ title: 'CT', files: [named('IM1')] });
    expect(items().map(({ name }) => name)).toEqual(['IM1']);
  });
});

describe('unfinished uploads', () => {
  const record = {
    fingerprint: 'f'.repeat(64),
    hash: 'e'.repeat(64),
    url: '/api/upload/tus/1',
    size: 9_000_000,
    at: Date.now(),
  };

  it('A record has hashes and no name, and the sign-out deletes it.', () => {
    keepUnfinished(record);
    expect(findUnfinished(record.fingerprint)).toEqual(record);
    expect(Object.keys(JSON.parse(localStorage.getItem('uploads') ?? '{}').list[0])).toEqual([
      'fingerprint',
      'hash',
      'url',
      'size',
      'at',
    ]);
    endSession('logout');
    expect(localStorage.getItem('uploads')).toBeNull();
  });

  it('Another person, and the next day, do not find it.', () => {
    keepUnfinished({ ...record, at: Date.now() - 25 * 3_600_000 });
    expect(unfinished()).toEqual([]);
    keepUnfinished(record);
    expect(unfinished()).toHaveLength(1);
    const kept = localStorage.getItem('uploads') ?? '';
    forgetPrivate();
    signIn({ id: id('c') });
    localStorage.setItem('uploads', kept);
    expect(unfinished()).toEqual([]);
  });

  it('An upload that this page began, or goes on with, is not listed as interrupted, but that of an earlier page is.', async () => {
    const earlier = (fingerprint: string) => ({ ...record, fingerprint });
    localStorage.setItem('uploads', JSON.stringify({ owner: id('a'), list: [earlier('1'), earlier('2')] }));
    await findInterrupted();
    expect(store.get(interruptedAtom)).toEqual([earlier('1'), earlier('2')]);
    keepUnfinished(record);
    pauseUploads();
    addUploads({ title: 'CT', files: [named('IM0')], begun: earlier('1') });
    await findInterrupted();
    expect(store.get(interruptedAtom)).toEqual([earlier('2')]);
    // After a reload the records are those of an earlier page.
    const kept = localStorage.getItem('uploads') ?? '';
    forgetPrivate();
    localStorage.setItem('uploads', kept);
    await findInterrupted();
    expect(store.get(interruptedAtom)).toEqual([earlier('1'), earlier('2'), record]);
  });
});
