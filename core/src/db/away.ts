import { mongo } from 'mongoose';
import { PartAway } from '../process/partAway.js';
import { NotInTime } from './inTime.js';

/**
 * True when MongoDB, Redis or another dependency cannot be reached, or stepped down in the meantime: the same call may succeed a little
 * later.
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof PartAway || isUnconfirmed(error)) return true;
  // A bulk write has the cause one level down.
  if (error instanceof mongo.MongoBulkWriteError && isAway(error.errorResponse)) return true;
  if (error instanceof mongo.MongoServerSelectionError || error instanceof mongo.MongoNetworkError) return true;
  if (
    error instanceof mongo.MongoError &&
    (error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('TransientTransactionError'))
  ) {
    return true;
  }
  if (error instanceof mongo.MongoServerError && AWAY_CODES.has(Number(error.code))) return true;
  if (
    /MongoServerSelection|MongoNetwork|MongoNotConnected|MongoPoolCl|MongoWaitQueue|MongooseServerSelection/.test(
      error.name,
    )
  )
    return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code && BROKEN_CODES.has(code)) return true;
  // The DNS server does not answer, or does not know the name now. MONGODB_URI may need more of it (mongodb+srv).
  if (syscall === 'getaddrinfo' || syscall?.startsWith('query')) return true;
  // biome-ignore lint/plugin/codesNotWords: Redis's client has no code for these
  return REDIS_AWAY.test(error.message);
}

/**
 * True for an error that counts as away and leaves open whether the write was done: a majority did not confirm it in
 * time, or the connection broke before the answer. Only a repetition of the same request finds out.
 */
export function isUnconfirmed(error: unknown): boolean {
  if (error instanceof NotInTime) return true;
  if (!(error instanceof mongo.MongoError)) return false;
  if (error instanceof mongo.MongoBulkWriteError) {
    return error.result.getWriteConcernError() !== undefined || isUnconfirmed(error.errorResponse);
  }
  if (error instanceof mongo.MongoWriteConcernError) return true;
  if (error.hasErrorLabel('TransientTransactionError')) return false;
  return (
    error.hasErrorLabel('UnknownTransactionCommitResult') ||
    error.hasErrorLabel('RetryableWriteError') ||
    TIMEOUT_CODES.has(Number(error.code))
  );
}

/** MongoDB's codes of a command, or of a wait for a majority, that took too long. */
const TIMEOUT_CODES = new Set([50, 64]);

/**
 * MongoDB's codes of a primary that is gone, stepping down or not elected yet, of a majority that did not answer in
 * time, and of a transaction or a cursor that a failover ended (src/mongo/base/error_codes.yml).
 */
const AWAY_CODES = new Set([
  ...[6, 7, 43, 50, 64, 89, 91, 112, 133, 134, 189, 202, 237, 246, 251, 262, 317],
  ...[9001, 10058, 10107, 11600, 11602, 13435, 13436],
]);

/** The system's codes of a connection that broke, as the Redis client passes them on. */
const BROKEN_CODES = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Messages of Redis and its client: not connected, still loading its data, out of memory or disk, without enough replicas,
 * or no longer the primary.
 */
const REDIS_AWAY =
  /Stream isn't writeable|Connection is closed|Command timed out|Socket timeout|OOM command not allowed|^(MISCONF|LOADING|READONLY|NOREPLICAS) /;
