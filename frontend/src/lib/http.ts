/** One door to the server: bearer token, the envelope, one shared refresh, uploads with progress. */

import { authRoutes } from '@lightbox/contract/auth/routes.js';
import type { BodyInput, CallShape, DataOf, QueryInput, Route } from '@lightbox/contract/call.js';
import type { FieldError, Success } from '@lightbox/contract/envelope.js';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import { active } from './activity';

export type Envelope<Data> = Success<Data>;

/** What the server said no with. `code` is stable and is what the client words; status 0 means it was never reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly errors: FieldError[] = [],
    readonly requestId?: string,
    /** Whatever else came in the body (tries left, progress…). */
    readonly details: Record<string, unknown> = {},
    /** Seconds, from `Retry-After`. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

type Query = Record<string, string | number | boolean | undefined | null>;

export interface RequestOptions {
  query?: Query | undefined;
  /** JSON, or a FormData for multipart. */
  body?: unknown;
  /** `session` (default) sends the session's token, `none` none; another string is sent as it is. */
  token?: 'session' | 'none' | (string & {});
  /** Polls and prefetches: they do not keep an idle session alive. */
  background?: boolean;
  /** POSTs that create: the same key gives the same answer, once. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  /** 0…1; sends through XMLHttpRequest, because fetch cannot tell. */
  onProgress?: (share: number) => void;
}

interface SessionDoor {
  token(): string;
  /** The token as the other tabs left it, read afresh from storage. */
  reread(): string;
  keep(token: string): void;
  end(): void;
  /** An authenticator app or a passkey has to be set up before anything else. */
  lock(): void;
  /** Asks the person to prove that it is still them; true once they have. */
  prove(ways: unknown): Promise<boolean>;
}

let session: SessionDoor = {
  token: () => '',
  reread: () => '',
  keep: () => {},
  end: () => {},
  lock: () => {},
  prove: async () => false,
};

/** Called once by `auth/session`: lib knows no feature. */
export function connectSession(door: SessionDoor) {
  session = door;
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

async function failure(answer: Answer): Promise<ApiError> {
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
    // No word from the server: the screen has its own.
    typeof message === 'string' ? message : '',
    Array.isArray(errors) ? (errors as FieldError[]) : [],
    typeof requestId === 'string' ? requestId : undefined,
    details,
    retryAfter > 0 ? retryAfter : undefined,
  );
}

/** One tab at a time where the browser can; elsewhere the server's grace for the previous cookie covers the race. */
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request('lightbox-refresh', work) : work();
}

let refreshing: Promise<string> | undefined;

/**
 * A token newer than `stale`. Calls that expire together share one refresh, and so do tabs: whoever holds the lock
 * asks, the others find the new token in storage. Empty means that the session is over; a server that is away throws.
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

/** Refusals of the session's own token: the session is over. */
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
  // Only the session's own token may end the session, and only while it is still the session's.
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

/** What a call needs from the client: the parts of its path, its query, its body (FormData where it is multipart). */
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
 * Makes a declared call. Called without input where the call takes none:
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

/** The bytes of a call that answers no JSON (an image's content). */
export async function download<C extends CallShape>(
  call: C | Route<C>,
  input: Input<C>,
  options: Omit<RequestOptions, 'query' | 'body'> = {},
): Promise<Blob> {
  const { params, query } = input as unknown as Parts;
  return (await answerTo('GET', pathOf(call, params), { ...options, query })).blob();
}
