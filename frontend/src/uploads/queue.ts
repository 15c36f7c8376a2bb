import { limits } from '@lightbox/contract/limits.js';
import { refreshLists } from '../images/cache';
import { socketAtom } from '../lib/connection';
import { ApiError } from '../lib/http';
import { askBeforeLeaving } from '../lib/leaving';
import { holdPrivate } from '../lib/private';
import { queryClient, worthRetrying } from '../lib/query';
import { store } from '../lib/store';
import { uuid } from '../lib/uuid';
import type { Person } from '../users/PersonSearch';
import { knownImage, newStudy } from './calls';
import { hashOf, headOf, stopReading } from './reader';
import { lockOf, takeOver, type Unfinished, unfinished } from './resumable';
import { sendFile } from './send';
import { isAway, isFull, isServerError, mostTries, reasonOf } from './sending';
import type { Source } from './sources';
import { askedGroupAtom, emptyTray, type Group, type Item, isUnderWay, trayAtom } from './tray';

/** Files that belong together: one patient, and one decision about a patient who does not match. */
export interface NewGroup {
  title: string;
  patient?: Person | undefined;
  /** Pictures that become one study with this title. DICOM files become studies by themselves. */
  study?: string | undefined;
  files: { source: Source; caption: string }[];
  attended?: boolean;
  begun?: Unfinished | undefined;
  /** The person wants the files also when they have them already. */
  again?: boolean;
}

interface Job extends Item {
  source: Source;
  /** Sent again with every retry that may find the file stored already. */
  key: string;
  hash?: string;
  /** The person wants the file a second time. */
  again: boolean;
  tries: number;
  /** The file was on its way under this key: if it is stored, then by this upload. */
  tried?: boolean;
  stop?: AbortController;
  begun?: Unfinished | undefined;
}

interface Batch extends Group {
  study?: { title: string; key: string; id?: Promise<string> };
  reason?: string;
}

let jobs: Job[] = [];
let batches: Batch[] = [];
let paused = false;
let waitingFor: 'connection' | 'limit' | undefined;
let misses = 0;
let goOn: ReturnType<typeof setTimeout> | undefined;

const headBytes = 64 * 1024;

/** The screens are told about changes once in this time, so that hundreds of files do not slow the page down. */
const publishMs = 100;
let publishing: ReturnType<typeof setTimeout> | undefined;

function publish() {
  publishing ??= setTimeout(publishNow, publishMs);
}

function publishNow() {
  clearTimeout(publishing);
  publishing = undefined;
  store.set(trayAtom, {
    groups: batches.map(({ study: _study, reason: _reason, ...group }) => group),
    items: jobs.map(({ source: _source, key: _key, stop: _stop, begun: _begun, hash: _hash, ...item }) => item),
    paused,
    waitingFor,
  });
}

function set(job: Job, change: Partial<Job>) {
  Object.assign(job, change);
  publish();
}

const batchOf = ({ groupId }: Item) => batches.find(({ id }) => id === groupId);
const isRunning = ({ stop }: Job) => stop !== undefined;
/** A form shows its upload itself. The acts on all of the tray leave it alone. */
const isAttended = (job: Job) => batchOf(job)?.attended === true;

/** Adds files and begins to send them. Returns the id of the group. */
export function addUploads({ title, patient, study, files, attended = false, begun, again = false }: NewGroup): string {
  const id = uuid();
  batches.push({ id, title, patient, attended, ...(study && { study: { title: study, key: uuid() } }) });
  for (const { source, caption } of files) {
    const state = { state: 'waiting', progress: 0, tries: 0 } as const;
    jobs.push({
      id: uuid(),
      groupId: id,
      name: source.name,
      size: source.size,
      caption,
      source,
      key: uuid(),
      begun,
      again,
      ...(begun && { hash: begun.hash }),
      ...state,
    });
  }
  if (begun) takeOver(begun);
  publishNow();
  pump();
  return id;
}

/** Starts as many waiting files as may be sent at once. */
function pump() {
  if (waitingFor) return;
  let free = limits.uploadsAtOnce - jobs.filter(isRunning).length;
  for (const job of jobs) {
    if (free <= 0) return;
    if (job.state !== 'waiting' || isRunning(job) || batchOf(job)?.mismatch || (paused && !isAttended(job))) continue;
    free -= 1;
    void run(job);
  }
}

/** Runs the work in one tab at a time for each file, so that a second tab finds it stored. */
function exclusively<T>(hash: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (!hash || !navigator.locks) return work();
  return navigator.locks.request(lockOf(hash), { signal }, work) as Promise<T>;
}

async function run(job: Job) {
  const stop = new AbortController();
  set(job, { stop, state: 'checking', progress: 0, error: undefined });
  try {
    const file = await job.source.open();
    job.hash ??= await hashOf(file).catch(() => '');
    stop.signal.throwIfAborted();
    await exclusively(job.hash, stop.signal, () => deliver(job, file, stop.signal)).catch(async (error) => {
      throw await reasonOf(error, file);
    });
    misses = 0;
  } catch (error) {
    // A file that was taken out or stopped has no failure.
    if (job.stop === stop) settle(job, error);
  } finally {
    if (job.stop === stop) delete job.stop;
    publish();
    pump();
  }
}

async function deliver(job: Job, file: File, signal: AbortSignal) {
  const batch = batchOf(job);
  if (!batch) return;
  const { hash = '' } = job;
  const imageId = hash && !job.again && !job.begun && !job.tried ? await knownImage(hash, signal) : undefined;
  if (imageId) return set(job, { state: 'known', imageId });
  const studyId = await studyOf(batch);
  signal.throwIfAborted();
  set(job, { state: 'sending', tried: true });
  const stored = await sendFile({
    file,
    hash,
    caption: job.caption,
    patientId: batch.patient?.id,
    studyId,
    mismatchReason: batch.reason,
    idempotencyKey: job.key,
    begun: job.begun,
    onProgress: (progress) => set(job, { progress, state: progress >= 1 ? 'storing' : 'sending' }),
    signal,
  });
  set(job, { state: 'done', progress: 1, imageId: stored });
  refreshLists(queryClient, batch.patient ? undefined : 'uploaded');
}

/** Creates the study of a group of pictures once, before its first picture. */
async function studyOf({ study, patient }: Batch): Promise<string | undefined> {
  if (!study) return undefined;
  study.id ??= newStudy(study.title, patient?.id, study.key);
  try {
    return await study.id;
  } catch (error) {
    delete study.id;
    throw error;
  }
}

/** After a definite refusal the next try is another upload. */
function renew(job: Job) {
  job.key = uuid();
  job.tried = false;
}

function settle(job: Job, error: unknown) {
  const batch = batchOf(job);
  // Otherwise it may have arrived in spite of the error: a retry with the same key is safe.
  if (!worthRetrying(error) && !isAway(error)) renew(job);
  // The server keeps the patient of an upload that an earlier page began, and has removed what it refused: there is nothing
  // to decide about.
  if (error instanceof ApiError && error.code === 'PATIENT_MISMATCH' && batch && !job.begun) {
    batch.mismatch = [...new Set([...(batch.mismatch ?? []), ...error.errors.map(({ field }) => field)])];
    // The others may be of the wrong patient too. None of them is stored before the person has decided.
    for (const other of jobs) if (other !== job && other.groupId === batch.id && isRunning(other)) suspend(other);
    if (batch.attended) store.set(askedGroupAtom, batch.id);
    void readNamed(batch, job);
    return set(job, { state: 'held', progress: 0 });
  }
  if (error instanceof ApiError && error.status === 429) {
    set(job, { state: 'waiting' });
    return wait('limit', (error.retryAfter ?? 60) * 1000);
  }
  if (isAway(error)) {
    set(job, { state: 'waiting' });
    misses += 1;
    return wait('connection', Math.min(2 ** misses, 60) * 1000);
  }
  job.tries += 1;
  if (!batch?.attended && isServerError(error) && job.tries < mostTries) {
    set(job, { state: 'waiting' });
    return wait('connection', 2 ** job.tries * 1000);
  }
  if (isFull(error) && !batch?.attended) paused = true;
  set(job, { state: 'failed', error });
}

/** Reads the patient out of the file, so that the person can compare. The server sends no value of the file. */
async function readNamed(batch: Batch, { source }: Job) {
  const { dicom } = await headOf(await source.head(headBytes));
  batch.named = { name: dicom?.patientName, birthDate: dicom?.patientBirthDate, sex: dicom?.patientSex };
  publish();
}

/** Waits before the next file is started. A connection that comes back ends the wait. */
function wait(reason: 'connection' | 'limit', ms: number) {
  waitingFor = reason;
  clearTimeout(goOn);
  goOn = setTimeout(resume, ms);
  publish();
}

function resume() {
  clearTimeout(goOn);
  waitingFor = undefined;
  publish();
  pump();
}

const reconnected = () => waitingFor === 'connection' && resume();
window.addEventListener('online', reconnected);
store.sub(socketAtom, () => store.get(socketAtom) === 'on' && reconnected());

/** Ends what is being sent. The same key, or the same resumable upload, goes on with it later. */
function halt(job: Job) {
  const { stop } = job;
  delete job.stop;
  stop?.abort();
}

/** Stops a file, which waits from now on. */
function suspend(job: Job) {
  halt(job);
  if (isUnderWay(job)) set(job, { state: 'waiting', progress: 0 });
}

export function pauseUploads() {
  paused = true;
  for (const job of jobs) if (isRunning(job) && !isAttended(job)) suspend(job);
  publish();
}

export function continueUploads() {
  paused = false;
  resume();
}

/** Takes files out: a running one is stopped, and what the server has of a large one is deleted. */
function remove(out: (job: Job) => boolean) {
  for (const job of jobs.filter(out)) {
    halt(job);
    if (job.hash && job.state !== 'done') void discardParts(job.hash);
  }
  jobs = jobs.filter((job) => !out(job));
  batches = batches.filter(({ id }) => jobs.some(({ groupId }) => groupId === id));
  if (jobs.every(isAttended)) paused = false;
  publishNow();
  pump();
}

async function discardParts(hash: string) {
  const parts = unfinished().filter((kept) => kept.hash === hash);
  if (!parts.length) return;
  const { abandon } = await import('./tus');
  for (const one of parts) await abandon(one);
}

export const cancelUpload = (id: string) => remove((job) => job.id === id);
export const cancelGroup = (groupId: string) => remove((job) => job.groupId === groupId);
export const cancelUploads = () => remove((job) => isUnderWay(job) && !isAttended(job));
export const clearTray = () => remove((job) => !isAttended(job));

/** Sends failed files again; without an id all of the tray. */
export function retryUploads(id?: string) {
  for (const job of jobs) {
    if (job.state === 'failed' && (id ? job.id === id : !isAttended(job)))
      set(job, { state: 'waiting', tries: 0, error: undefined });
  }
  continueUploads();
}

/** Stores a file that the person has already a second time. */
export function uploadAgain(id: string) {
  const job = jobs.find((one) => one.id === id);
  if (job) set(job, { state: 'waiting', again: true, imageId: undefined });
  pump();
}

/** The decision about files that name another patient: a reason to keep the choice, or another choice. */
export function decide(groupId: string, decision: { reason: string } | { patient: Person | undefined }) {
  const batch = batches.find(({ id }) => id === groupId);
  if (!batch) return;
  delete batch.mismatch;
  if ('reason' in decision) batch.reason = decision.reason;
  else batch.patient = decision.patient;
  for (const job of jobs.filter((one) => one.groupId === groupId && one.state !== 'done')) {
    if (job.state === 'held') set(job, { state: 'waiting' });
    // The files that are not stored yet have another patient or a reason now. The parts at the server have the old one.
    if (job.tried && job.hash) void discardParts(job.hash);
    renew(job);
  }
  publishNow();
  pump();
}

/** The form that showed the upload is gone: the tray shows it from now on. */
export function leaveToTray(groupId: string) {
  const batch = batches.find(({ id }) => id === groupId);
  if (batch) batch.attended = false;
  // The tray may be paused, and so are its files.
  if (paused) pauseUploads();
  publish();
}

askBeforeLeaving(() => jobs.some(isUnderWay));

holdPrivate(() => {
  for (const job of jobs) halt(job);
  jobs = [];
  batches = [];
  paused = false;
  misses = 0;
  waitingFor = undefined;
  clearTimeout(goOn);
  clearTimeout(publishing);
  publishing = undefined;
  stopReading();
  store.set(askedGroupAtom, undefined);
  store.set(trayAtom, emptyTray);
});
