/** The HTTP client of the app: bearer token, envelope, one shared token refresh, uploads with progress. */

import { authRoutes } from '@lightbox/contract/auth/routes.js';
import type { BodyInput, CallShape, DataOf, QueryInput, Route } from '@lightbox/contract/call.js';
import type { FieldError, Success } from '@lightbox/contract/envelope.js';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import { active } from './activity';

export type Envelope<Data> = Success<Data>;

/**
 * A refusal of the server. `code` is stable, and the client chooses its text by it; status 0: the server was not
 * reached.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly errors: FieldError[] = [],
    readonly requestId?: string,
    /** All other fields of the body (tries left, progress…). */
    readonly details: Record<string, unknown> = {},
    /** In seconds, from `Retry-After`. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

type Query = Record<string, string | number | boolean | undefined | null>;

export interface RequestOptions {
  query?: Query | undefined;
  /** A value to send as JSON, or a FormData to send as multipart. */
  body?: unknown;
  /** `session` (default) sends the session's token, `none` sends no token; any other string is sent as the token. */
  token?: 'session' | 'none' | (string & {});
  /** True for polls and prefetches: they do not count as activity of the session. */
  background?: boolean;
  /** For POSTs that create something: a repeat with the same key creates nothing and gets the same answer. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  /**
   * Gets the share that was sent, 0…1. The client then uses XMLHttpRequest, because fetch reports no upload progress.
   */
  onProgress?: (share: number) => void;
}

interface SessionHooks {
  token(): string;
  /** Reads the token from storage again: another tab may have changed it. */
  reread(): string;
  keep(token: string): void;
  end(): void;
  /** Locks the session until the person has set up an authenticator app or a passkey. */
  lock(): void;
  /** Asks the person for a step-up proof. Resolves to true when they gave it. */
  prove(ways: unknown): Promise<boolean>;
}

let session: SessionHooks = {
  token: () => '',
  reread: () => '',
  keep: () => {},
  end: () => {},
  lock: () => {},
  prove: async () => false,
};

/** Connects the client with the session. `auth/session` calls it once, because lib imports no feature. */
export function connectSession(hooks: SessionHooks) {
  session = hooks;
}

interface Answer {
  status: number;
  header(name: string): string | null;
  text(): Promise<string>;
  blob(): Promise<Blob>;
}

interface Prepared {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: BodyInit | undefined;
  signal: AbortSignal | undefined;
}

const unreachable = () => new ApiError(0, 'UNREACHABLE', 'The server cannot be reached. Check your connection.');

async function viaFetch({ method, url, headers, body, signal }: Prepared): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers,
    body: body ?? null,
    signal: signal ?? null,
    credentials: 'same-origin',
    cache: 'no-store',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw unreachable();
  });
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    text: () => response.text(),
    blob: () => response.blob(),
  };
}

function viaXhr({ method, url, headers, body, signal }: Prepared, onProgress: (share: number) => void) {
  return new Promise<Answer>((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    xhr.onload = () =>
      resolve({
        status: xhr.status,
        header: (name) => xhr.getResponseHeader(name),
        text: async () => xhr.responseText,
        blob: async () => new Blob([xhr.responseText]),
      });
    xhr.onerror = () => reject(unreachable());
    xhr.onabort = () => reject(signal?.reason ?? new DOMException('Aborted', 'AbortError'));
    if (signal?.aborted) return xhr.onabort(new ProgressEvent('abort'));
    signal?.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send((body as XMLHttpRequestBodyInit | undefined) ?? null);
  });
}

function cookie(name: string): string | undefined {
  const found = document.cookie.split('; ').find((part) => part.startsWith(`${name}=`));
  return found && decodeURIComponent(found.slice(name.length + 1));
}

function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value));
  }
  return `/api${path}${search.size ? `?${search}` : ''}`;
}

function prepare(method: string, path: string, options: RequestOptions, token: string): Prepared {
  const headers: Record<string, string> = { Accept: 'application/json' };
  const multipart = options.body instanceof FormData;
  if (options.body !== undefined && !multipart) headers['Content-Type'] = 'application/json';
  if (token) headers.Authorization = `Bearer ${token}`;
  const xsrf = method !== 'GET' && cookie('XSRF-TOKEN');
  if (xsrf) headers['X-XSRF-TOKEN'] = xsrf;
  if (options.background) headers['X-Background'] = '1';
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey;
  const body = options.body === undefined ? undefined : multipart ? options.body : JSON.stringify(options.body);
  return {
    method,
    url: address(path, options.query),
    headers,
    body: body as BodyInit | undefined,
    signal: options.signal,
  };
}

export async function failure(answer: Pick<Answer, 'status' | 'header' | 'text'>): Promise<ApiError> {
  const body = await answer
    .text()
    .then(
      (text) => JSON.parse(text) as Record<string, unknown>,
      () => ({}) as Record<string, unknown>,
    )
    .catch(() => ({}) as Record<string, unknown>);
  const { message, error, errors, requestId, ...details } = body;
  const retryAfter = Number(answer.header('Retry-After'));
  return new ApiError(
    answer.status,
    typeof error === 'string' ? error : 'UNKNOWN',
    // Without a message from the server the screen shows its own text.
    typeof message === 'string' ? message : '',
    Array.isArray(errors) ? (errors as FieldError[]) : [],
    typeof requestId === 'string' ? requestId : undefined,
    details,
    retryAfter > 0 ? retryAfter : undefined,
  );
}

/**
 * Runs the work in one tab at a time, where the browser has Web Locks. Elsewhere two tabs may refresh at once: the
 * server accepts the previous refresh cookie for a short time.
 */
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request('lightbox-refresh', work) : work();
}

let refreshing: Promise<string> | undefined;

/**
 * Returns a token newer than `stale`, or '' when the session is over. Throws when the server cannot be reached. Calls
 * that fail together share one refresh, and so do tabs: the tab with the lock refreshes, the others read the new token
 * from storage.
 */
export function freshToken(stale: string): Promise<string> {
  const current = session.token();
  if (current !== stale) return Promise.resolve(current);
  refreshing ??= exclusively(async () => {
    const latest = session.reread();
    if (latest !== stale) return latest;
    const answer = await viaFetch(prepare('POST', authRoutes.refresh.path, { body: {} }, ''));
    if (answer.status === 401 || answer.status === 403) return '';
    if (answer.status !== 200) throw await failure(answer);
    const { data } = JSON.parse(await answer.text()) as Envelope<{ token: string }>;
    session.keep(data.token);
    return data.token;
  }).finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

/** Seconds before its end at which a token is renewed. */
const renewSeconds = 30;

/** Returns a token that is still valid for some seconds, for libraries that send requests of their own. */
export async function liveToken(): Promise<string> {
  const token = session.token();
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(payload)) as { exp: number };
    if (exp - renewSeconds > Date.now() / 1000) return token;
  } catch {
    return token;
  }
  return freshToken(token);
}

/** Codes that end the session when they refuse the session's own token. */
const endings: readonly string[] = [
  'UNAUTHENTICATED',
  'AUTHENTICATION_FAILED',
  'INVALID_CREDENTIALS',
  'JWT_EXPIRED',
] satisfies ErrorCode[];

async function answerTo(method: string, path: string, options: RequestOptions): Promise<Answer> {
  const own = options.token === undefined || options.token === 'session';
  const send = async (token: string) => {
    const at = Date.now();
    const prepared = prepare(method, path, options, token);
    const answer = await (options.onProgress ? viaXhr(prepared, options.onProgress) : viaFetch(prepared));
    if (own && token && !options.background && answer.status !== 401) active(at);
    return answer;
  };
  let token = own ? session.token() : options.token === 'none' ? '' : (options.token ?? '');
  let answer = await send(token);
  if (answer.status < 300) return answer;

  let error = await failure(answer);
  if (own && token && error.code === 'JWT_EXPIRED') {
    token = await freshToken(token);
    if (token) {
      answer = await send(token);
      if (answer.status < 300) return answer;
      error = await failure(answer);
    }
  }
  // A refusal ends the session only if it concerns the session's own, current token.
  const stillOurs = !token || session.token() === token;
  if (own && stillOurs && endings.includes(error.code)) session.end();
  if (own && error.code === 'TOTP_REQUIRED') session.lock();
  if (own && error.code === 'STEP_UP_REQUIRED' && (await session.prove(error.details.ways))) {
    answer = await send(session.token());
    if (answer.status < 300) return answer;
    error = await failure(answer);
  }
  throw error;
}

async function request<Data>(method: string, path: string, options: RequestOptions): Promise<Envelope<Data>> {
  const answer = await answerTo(method, path, options);
  const text = await answer.text();
  return (text ? JSON.parse(text) : {}) as Envelope<Data>;
}

type Part<K extends string, T> = [T] extends [undefined] ? { [P in K]?: undefined } : { [P in K]: T };

/** The input of a call: the parameters of its path, its query and its body (FormData for multipart). */
export type Input<C extends CallShape> = (C extends { params: object }
  ? { params: Record<string, string> }
  : { params?: undefined }) &
  (C extends { query: object } ? { query?: QueryInput<C> } : { query?: undefined }) &
  (C extends { multipart: string } ? { body: FormData | BodyInput<C> } : Part<'body', BodyInput<C>>);

interface Parts {
  params?: Record<string, string>;
  query?: Query;
  body?: unknown;
}

const pathOf = (call: Pick<CallShape, 'path'>, params: Record<string, string> = {}) =>
  call.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/**
 * Sends a declared call. Examples:
 * `send(userCalls.listUsers, { query: { page: 1 } })`, `send(authCalls.logout, { body: {} })`.
 */
export function send<C extends CallShape>(
  call: C | Route<C>,
  input: Input<C>,
  options: Omit<RequestOptions, 'query' | 'body'> = {},
): Promise<Envelope<DataOf<C>>> {
  const { params, query, body } = input as unknown as Parts;
  return request(call.method.toUpperCase(), pathOf(call, params), { ...options, query, body });
}

/** Sends a call whose answer is not JSON (such as an image's content) and returns the bytes. */
export async function download<C extends CallShape>(
  call: C | Route<C>,
  input: Input<C>,
  options: Omit<RequestOptions, 'query' | 'body'> = {},
): Promise<Blob> {
  const { params, query } = input as unknown as Parts;
  return (await answerTo('GET', pathOf(call, params), { ...options, query })).blob();
}
