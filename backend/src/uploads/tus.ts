import { PassThrough, Readable } from 'node:stream';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import type { uploadCalls } from '@lightbox/contract/uploads/calls.js';
import { tusPath } from '@lightbox/contract/uploads/tusPath.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import { Metadata, Server, TUS_RESUMABLE, type Upload } from '@tus/server';
import type { Response as ExpressResponse, Request } from 'express';
import type { Context, Uploader } from '../context.js';
import { readUploadFields } from '../images/admitImage.js';
import { finishUpload } from './finishUpload.js';
import { recordUpload, requireUpload, SealedUploads, tusExtensions } from './sealedUploads.js';
import { UploadLock } from './uploadLock.js';

const PATH = `/api${tusPath}`;
/** The media type of the bytes of an upload. */
const BYTES = 'application/offset+octet-stream';
/** Time that a request gets to store what it has received, when another one takes its place. */
const DRAIN_MS = 300;

/** The parts of a call that this protocol needs. */
type Call = Pick<Context, 'gateway' | 'actor' | 'req' | 'res'> & { viewer: Uploader };

export async function describeUploads({
  gateway,
  res,
}: Context<typeof uploadCalls.describeUploads>): Promise<undefined> {
  res.setHeader('Tus-Resumable', TUS_RESUMABLE);
  res.setHeader('Tus-Version', TUS_RESUMABLE);
  res.setHeader('Tus-Extension', tusExtensions.join(','));
  res.setHeader('Tus-Max-Size', String(await gateway.settings.get('upload.maxBytes')));
  res.status(204).end();
  return undefined;
}

export async function createUpload(context: Context<typeof uploadCalls.createUpload>): Promise<undefined> {
  requireVersion(context);
  requireNoExtension(context);
  const { gateway, viewer, req, res } = context;
  const size = await sizeOf(context);
  const metadata = metadataOf(req);
  // The fields are checked now, and again when the file is whole: the patient may be gone by then.
  const { filename: _, filetype: __, ...fields } = metadata;
  await readUploadFields(gateway, viewer, fields, true);
  if (!(await gateway.diskReserve.fits(size))) throw new AppError('STORAGE_FULL');
  const id = newId(gateway.clock.now());
  await answerTus(context, null, {
    namingFunction: () => String(id),
    onUploadCreate: async (_request: unknown, upload: Upload) => {
      await recordUpload(gateway, viewer, id, { size, metadata, hours: limits.resumableHours });
      return { metadata: upload.metadata ?? {} };
    },
  });
  await setExpiry(context, id);
  res.end();
  return undefined;
}

export async function getUpload(context: Context<typeof uploadCalls.getUpload>): Promise<undefined> {
  requireVersion(context);
  const { gateway, viewer, params, res } = context;
  const upload = await requireUpload(gateway, viewer, params.id);
  await answerTus(context, upload._id);
  await finishIfWhole(context, upload);
  res.end();
  return undefined;
}

export async function continueUpload(context: Context<typeof uploadCalls.continueUpload>): Promise<undefined> {
  requireVersion(context);
  const { gateway, viewer, params, req, res } = context;
  const upload = await requireUpload(gateway, viewer, params.id);
  if (req.get('content-type') !== BYTES) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  const giveBack = await gateway.diskReserve.take(
    Math.min(upload.size, Number(req.get('content-length') ?? upload.size)),
  );
  if (!giveBack) throw new AppError('STORAGE_FULL');
  await answerTus(context, upload._id).finally(giveBack);
  await finishIfWhole(context, upload);
  res.end();
  return undefined;
}

export async function endUpload(context: Context<typeof uploadCalls.endUpload>): Promise<undefined> {
  requireVersion(context);
  const { gateway, viewer, params, res } = context;
  const upload = await requireUpload(gateway, viewer, params.id);
  await answerTus(context, upload._id);
  res.end();
  return undefined;
}

/** Throws unless the client speaks this version of the protocol. Every answer names the version. */
function requireVersion({ req, res }: Pick<Call, 'req' | 'res'>): void {
  res.setHeader('Tus-Resumable', TUS_RESUMABLE);
  if (req.get('tus-resumable') === TUS_RESUMABLE) return;
  res.setHeader('Tus-Version', TUS_RESUMABLE);
  throw new AppError('UNSUPPORTED_VERSION');
}

/** Refuses the extensions of the protocol that the answer to OPTIONS does not name. */
function requireNoExtension({ req }: Pick<Call, 'req'>): void {
  for (const name of ['Upload-Defer-Length', 'Upload-Concat']) {
    if (req.get(name) !== undefined) throw fieldError(name, 'Is not supported.');
  }
}

/** Returns the length of a new upload. Throws unless it is known, above 0 and at most that of a file. */
async function sizeOf({ gateway, req }: Context<typeof uploadCalls.createUpload>): Promise<number> {
  const length = req.get('upload-length') ?? '';
  if (!/^\d{1,15}$/.test(length)) throw fieldError('Upload-Length', 'Must be the number of bytes of the file.');
  const size = Number(length);
  const maxBytes = await gateway.settings.get('upload.maxBytes');
  if (size > maxBytes) throw new AppError('FILE_TOO_LARGE', { message: texts.fileSize(maxBytes) });
  if (size > 0) return size;
  const message = 'The file is empty.';
  throw new AppError('UNREADABLE_FILE', { message, errors: [{ field: 'file', message }] });
}

function metadataOf(req: Request): Record<string, string> {
  const text = req.get('upload-metadata');
  try {
    return Object.fromEntries(
      Object.entries(text ? Metadata.parse(text) : {}).map(([name, value]) => [name, value ?? '']),
    );
  } catch {
    throw fieldError('Upload-Metadata', 'Must be pairs of a name and a value in base64.');
  }
}

/** Makes the image when all bytes are there, and names it. An upload stays incomplete until its last bytes arrive. */
async function finishIfWhole(context: Call, { _id, size }: UploadDoc): Promise<void> {
  const { gateway, actor, viewer, res } = context;
  if (Number(res.getHeader('Upload-Offset')) === size) {
    await finishUpload(gateway, actor, viewer, _id);
    res.setHeader('Lightbox-Image', String(_id));
    return;
  }
  await setExpiry(context, _id);
}

async function setExpiry({ gateway, res }: Call, id: UploadDoc['_id']): Promise<void> {
  const upload = await gateway.models.Upload.findById(id, { expiresAt: 1 }).lean<UploadDoc>();
  if (upload) res.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
}

type Hooks = Partial<ConstructorParameters<typeof Server>[0]>;

/**
 * Lets the library answer, without a body, and throws its refusals as failures of the contract. `id`: the upload that the
 * caller may use, or null for a new one.
 */
async function answerTus(call: Call, id: UploadDoc['_id'] | null, hooks: Hooks = {}): Promise<void> {
  const { req, res } = call;
  const body = req.method === 'PATCH' ? new PassThrough() : null;
  if (body) {
    req.pipe(body);
    // A connection that breaks ends the stream, so that what has arrived is kept.
    req.once('close', () => body.end());
  }
  const thrown = new WeakMap<object, unknown>();
  const request = webRequest(req, id, body);
  const answer = await serverOf(call, thrown, hooks).handleWeb(request);
  if (body) {
    req.unpipe(body);
    // Read and drop the rest, or the client would never read the answer.
    req.resume();
  }
  if (answer.status >= 400) throw asFailure(thrown.get(request), answer.status);
  copy(answer, res);
  res.status(answer.status);
}

function serverOf({ gateway, viewer }: Call, thrown: WeakMap<object, unknown>, hooks: Hooks): Server {
  return new Server({
    path: PATH,
    datastore: new SealedUploads(gateway, viewer),
    locker: { newLock: (id) => new UploadLock(gateway, oid(id)) },
    lockDrainTimeout: DRAIN_MS,
    generateUrl: (_request, { path, id }) => `${path}/${id}`,
    onResponseError: (request, error) => {
      thrown.set(request, error);
      return undefined;
    },
    ...hooks,
  });
}

/**
 * Returns the request as the library reads it. The library takes the id from anywhere in an address, also from a query, so
 * the address is made from the id that was checked. Of the headers it gets those of the protocol, and of the body if there is one.
 */
function webRequest(req: Request, id: UploadDoc['_id'] | null, body: Readable | null): globalThis.Request {
  const read = body ? /^(tus|upload|content)-/ : /^(tus|upload)-/;
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string' && read.test(name)) headers.set(name, value);
  }
  return new globalThis.Request(new URL(id ? `${PATH}/${id}` : PATH, 'http://localhost'), {
    method: req.method,
    headers,
    ...(body ? { body: Readable.toWeb(body) as unknown as ReadableStream, duplex: 'half' } : {}),
  } as RequestInit);
}

const codes: Record<number, ErrorCode> = {
  400: 'BAD_REQUEST',
  403: 'BAD_REQUEST',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'EXPIRED',
  413: 'PAYLOAD_TOO_LARGE',
};

/** The library's own refusals have a status and no type. */
function asFailure(error: unknown, status: number): unknown {
  if (error && typeof (error as { status_code?: unknown }).status_code !== 'number') return error;
  const code = codes[status];
  return code ? new AppError(code) : (error ?? new AppError('INTERNAL'));
}

/** The answers are for the app's own pages: the library's headers for other origins are left out. */
function copy(answer: Response, res: ExpressResponse): void {
  for (const [name, value] of answer.headers) {
    if (name.startsWith('tus-') || name.startsWith('upload-') || name === 'location') res.setHeader(name, value);
  }
}
