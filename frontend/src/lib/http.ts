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
  /** True for what nobody asked for, as prefetches: it does not count as activity of the session. */
  background?: boolean;
  /** For POSTs that create something: a repeat with the same key creates nothing and gets the same answer. */
  idempotencyKey?: string;
  /** True for a call that ends the session itself: its answer counts also when nobody is signed in any more. */
  endsSession?: boolean;
  signal?: AbortSignal | undefined;
  /** True when a page that is closed should not end the request. */
  outlives?: boolean;
  /**
   * Gets the share that was sent, 0…1. The client then uses XMLHttpRequest, because fetch reports no upload progress.
   */
  onProgress?: (share: number) => void;
}

/** The signals of the reads that are repeated without an act of the person (`lib/live`): they are `background`. */
export const unasked = new WeakSet<AbortSignal>();

interface SessionHooks {
  token(): string;
  /** The id of the signed-in person, or ''. */
  person(): string;
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
  person: () => '',
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

/**
 * The person who makes a call. Another one may sign in while it is under way, also in another tab: the call is then not
 * repeated with their token, and its answer is not theirs to see.
 */
class Caller {
  private readonly person = session.person();
  /** `endsSession`: the call may go on when nobody is signed in. */
  constructor(private endsSession = false) {}

  /** Throws when the caller is no longer the signed-in person. */
  check() {
    const now = session.person();
    if (!this.person || now === this.person || (this.endsSession && !now)) return;
    throw new ApiError(403, 'PERSON_CHANGED', '');
  }

  /** The refusal of this call ends the session, and stays its outcome. */
  end() {
    this.endsSession = true;
    session.end();
  }
}

interface Answer extends Pick<Response, 'status' | 'text' | 'blob'> {
  headers: Pick<Headers, 'get'>;
}

interface Prepared extends RequestInit {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** Characters of a body that surely have less than 64 KiB: for more, browsers refuse `keepalive`. */
const keptAliveLength = 20_000;

const unreachable = () => new ApiError(0, 'UNREACHABLE', 'The server cannot be reached. Check your connection.');

const viaFetch = ({ url, ...init }: Prepared): Promise<Answer> =>
  fetch(url, init).catch((error: unknown) => {
    throw init.signal?.aborted ? error : unreachable();
  });

function viaXhr({ method, url, headers, body, signal }: Prepared, onProgress: (share: number) => void) {
  return new Promise<Answer>((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    xhr.onload = () =>
      resolve({
        status: xhr.status,
        headers: { get: (name) => xhr.getResponseHeader(name) },
        text: async () => xhr.responseText,
        blob: async () => new Blob([xhr.responseText]),
      });
    xhr.onerror = () => reject(unreachable());
    xhr.onabort = () => reject(signal?.reason ?? new DOMException('Aborted', 'AbortError'));
    if (signal?.aborted) return xhr.onabort(new ProgressEvent('abort'));
    signal?.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send(body as XMLHttpRequestBodyInit | null);
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
  const body = options.body === undefined ? null : multipart ? options.body : JSON.stringify(options.body);
  return {
    method,
    url: address(path, options.query),
    headers,
    body: body as BodyInit | null,
    signal: options.signal ?? null,
    cache: 'no-store',
    keepalive: options.outlives === true && typeof body === 'string' && body.length <= keptAliveLength,
  };
}

export async function failure(answer: Omit<Answer, 'blob'>): Promise<ApiError> {
  const body: Record<string, unknown> = await answer
    .text()
    .then(JSON.parse)
    .catch(() => ({}));
  const { message, error, errors, requestId, ...details } = body;
  const retryAfter = Number(answer.headers.get('Retry-After'));
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

let refreshing: { person: string; token: Promise<string> } | undefined;

/**
 * Returns a token newer than `stale`, or '' when the session is over. Throws when the server cannot be reached, and when
 * the person has changed meanwhile. Calls that fail together share one refresh, and so do tabs: the tab with the lock
 * refreshes, the others read the new token from storage.
 */
export function freshToken(stale: string): Promise<string> {
  const current = session.token();
  if (current !== stale) return Promise.resolve(current);
  const person = session.person();
  if (refreshing?.person === person) return refreshing.token;
  const token = refresh(stale, new Caller()).finally(() => {
    if (refreshing?.token === token) refreshing = undefined;
  });
  refreshing = { person, token };
  return token;
}

const refresh = (stale: string, caller: Caller) =>
  exclusively(async () => {
    // The event about a sign-in in another tab may be on its way: storage knows already.
    const current = () => {
      const token = session.reread();
      caller.check();
      return token;
    };
    const latest = current();
    if (latest !== stale) return latest;
    const answer = await viaFetch(prepare('POST', authRoutes.refresh.path, { body: {} }, ''));
    current();
    if (answer.status === 401 || answer.status === 403) return '';
    if (answer.status !== 200) throw await failure(answer);
    const { data } = JSON.parse(await answer.text()) as Envelope<{ token: string }>;
    current();
    session.keep(data.token);
    return data.token;
  });

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

/** Sends a call and reads its answer with `read`. */
async function request<T>(
  method: string,
  path: string,
  options: RequestOptions,
  read: (answer: Answer) => Promise<T>,
): Promise<T> {
  options.background ??= unasked.has(options.signal as AbortSignal);
  const own = options.token === undefined || options.token === 'session';
  if (!own) return read(await answerTo(method, path, options));
  const caller = new Caller(options.endsSession);
  try {
    return await read(await answerTo(method, path, options, caller));
  } finally {
    caller.check();
  }
}

/** `caller`: the person whose token is sent. */
async function answerTo(method: string, path: string, options: RequestOptions, caller?: Caller): Promise<Answer> {
  const attempt = async (token: string): Promise<Answer | ApiError> => {
    caller?.check();
    const at = Date.now();
    const prepared = prepare(method, path, options, token);
    const answer = await (options.onProgress ? viaXhr(prepared, options.onProgress) : viaFetch(prepared));
    const refusal = answer.status < 300 ? undefined : await failure(answer);
    caller?.check();
    if (caller && token && !options.background && answer.status !== 401) active(at);
    return refusal ?? answer;
  };
  let token = caller ? session.token() : options.token === 'none' ? '' : (options.token ?? '');
  let outcome = await attempt(token);
  if (caller && token && outcome instanceof ApiError && outcome.code === 'JWT_EXPIRED') {
    token = await freshToken(token);
    if (token) outcome = await attempt(token);
  }
  if (!(outcome instanceof ApiError)) return outcome;
  if (!caller) throw outcome;
  // A refusal ends the session only if it concerns the session's own, current token.
  const stillOurs = !token || session.token() === token;
  if (stillOurs && endings.includes(outcome.code)) caller.end();
  if (outcome.code === 'TOTP_REQUIRED') session.lock();
  if (outcome.code === 'STEP_UP_REQUIRED' && (await session.prove(outcome.details.ways))) {
    outcome = await attempt(session.token());
    if (!(outcome instanceof ApiError)) return outcome;
  }
  throw outcome;
}

async function envelope<Data>(answer: Answer): Promise<Envelope<Data>> {
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
  return request(call.method.toUpperCase(), pathOf(call, params), { ...options, query, body }, envelope<DataOf<C>>);
}

/** Sends a call whose answer is not JSON (such as an image's content) and returns the bytes. */
export async function download<C extends CallShape>(
  call: C | Route<C>,
  input: Input<C>,
  options: Omit<RequestOptions, 'query' | 'body'> = {},
): Promise<Blob> {
  const { params, query } = input as unknown as Parts;
  return request('GET', pathOf(call, params), { ...options, query }, (answer) => answer.blob());
}
