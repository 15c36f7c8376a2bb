import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Failure } from '@lightbox/contract/envelope.js';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import { isAway, isUnconfirmed } from '@lightbox/core/db/away.js';
import { AppError, IntegrityError, tellDamage } from '@lightbox/core/errors.js';
import { PasswordQueueFull } from '@lightbox/core/keys/argon2.js';
import type { Logger } from '@lightbox/core/process/log.js';
import type { ErrorRequestHandler, Request } from 'express';
import { mongo } from 'mongoose';

const RETRY_SECONDS = 2;

/** Returns the error for a call that fails now and will work a little later. */
export const unavailable = (): AppError => new AppError('UNAVAILABLE', { retryAfterSeconds: RETRY_SECONDS });

/**
 * Translates an error of a dependency, a parser or the product itself into one of the contract. Unknown ones become
 * `INTERNAL`.
 */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof PasswordQueueFull) return new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: 1 });
  if (error instanceof IntegrityError) return new AppError('DAMAGED');
  if (isUnconfirmed(error)) return new AppError('UNCONFIRMED', { retryAfterSeconds: RETRY_SECONDS });
  if (isAway(error)) return unavailable();
  if (isFull(error)) return new AppError('STORAGE_FULL');
  const parsed = bodyError(error);
  return new AppError(parsed ?? 'INTERNAL');
}

/** True when the folder of the blobs, or MongoDB, is out of disk. */
const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '') || isMongoFull(error);

/** MongoDB reports it by code (OutOfDiskSpace), or only in the storage engine's message. */
const isMongoFull = (error: unknown): boolean =>
  // biome-ignore lint/plugin/codesNotWords: the storage engine's errors have no code of their own
  error instanceof mongo.MongoServerError && (error.code === 14031 || /No space left|disk space/i.test(error.message));

/** Translates the errors of Express's body parser, by their `type`. */
function bodyError(error: unknown): ErrorCode | null {
  const { type, status } = (error ?? {}) as { type?: string; status?: number };
  if (type === 'entity.parse.failed') return 'MALFORMED_JSON';
  if (type === 'entity.too.large') return 'PAYLOAD_TOO_LARGE';
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return 'UNSUPPORTED_MEDIA_TYPE';
  if (status === 404) return 'NOT_FOUND';
  if (status === 413) return 'PAYLOAD_TOO_LARGE';
  if (status === 415) return 'UNSUPPORTED_MEDIA_TYPE';
  if (status !== undefined && status >= 400 && status < 500) return 'BAD_REQUEST';
  return error instanceof URIError ? 'BAD_REQUEST' : null;
}

export function failure(error: AppError, requestId: string): Failure {
  return {
    message: error.message,
    error: error.code,
    ...(error.details.errors ? { errors: error.details.errors } : {}),
    ...error.details.extra,
    requestId,
  };
}

/** The form in which errors are answered. */
export interface ErrorForm {
  type: string;
  /** The status, where the protocol does not know that of the error. */
  status?: (error: AppError) => number;
  body: (error: AppError, requestId: string) => object;
}

/** Answers every error in the product's envelope, or in that of another protocol, and logs the server's own faults. */
export const errorHandler =
  (log: Logger, form: ErrorForm = { type: 'application/json', body: failure }): ErrorRequestHandler =>
  (thrown, req, res, _next) => {
    const error = answerTo(req, asAppError(thrown));
    const requestId = requestIdOf(req);
    if (thrown instanceof IntegrityError) tellDamage(log, thrown);
    if (error.status >= 500) log.error({ err: thrown, requestId, code: error.code }, 'request failed');
    if (res.headersSent) {
      // Part of the body is already sent: only a broken connection shows the client that the rest is missing.
      res.destroy();
      return;
    }
    if (error.details.retryAfterSeconds) res.setHeader('Retry-After', String(error.details.retryAfterSeconds));
    const status = form.status?.(error) ?? error.status;
    res.status(status).type(form.type).json(form.body(error, requestId));
  };

/** A read that waited for a majority has saved nothing, whatever its end. */
const answerTo = ({ method }: Request, error: AppError): AppError =>
  error.code === 'UNCONFIRMED' && ['GET', 'HEAD'].includes(method) ? unavailable() : error;

/** Returns the id of a request in answers and in the log. Most requests need none, so it is made when it is asked for. */
export function requestIdOf(req: Request): string {
  const known = ids.get(req) ?? randomUUID();
  ids.set(req, known);
  return known;
}
const ids = new WeakMap<Request, string>();

/** Answers requests that Node refuses before Express sees them, in the product's envelope too. */
export function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code: ErrorCode =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'HEADERS_TOO_LARGE'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'REQUEST_TIMEOUT'
        : 'BAD_REQUEST';
  answerRaw(socket, new AppError(code));
}

/** Refuses a Socket.IO handshake over HTTP. A polling request has a response object, an upgrade only its connection. */
export function refuseHandshake(req: IncomingMessage & { res?: ServerResponse }, error: AppError): void {
  if (req.res) {
    answerBare(req.res, error);
    return;
  }
  refuseUpgrade(req.socket, error);
}

/** Node applies no timeout to a connection that asked for an upgrade: a client could keep it open without end. */
export function refuseUpgrade(socket: Duplex, error: AppError): void {
  socket.once('finish', () => socket.destroy());
  answerRaw(socket, error);
}

/** Answers with the envelope on a response that Express does not handle. */
export function answerBare(res: ServerResponse, error: AppError): void {
  const { body, headers } = rawAnswer(error);
  res.writeHead(error.status, headers).end(body);
}

/** Answers with the envelope on a connection that has no HTTP response. */
function answerRaw(socket: Duplex, error: AppError): void {
  const { body, headers } = rawAnswer(error);
  const lines = Object.entries({ Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${error.status} ${error.code}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

function rawAnswer(error: AppError): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(failure(error, randomUUID()));
  const { retryAfterSeconds } = error.details;
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      ...(retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {}),
    },
  };
}
