import type { BodyInput, CallShape, DataOf, QueryInput } from '@lightbox/contract/call.js';
import type { Failure, Success } from '@lightbox/contract/envelope.js';
import { complain } from './say.js';

/** A refusal of the server. Status 0: the server was not reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** In seconds, from `Retry-After`. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** The server and the token that a call uses. */
export interface Login {
  /** The origin of the server, without a path. */
  url: string;
  token: string;
}

interface Input<C> {
  params?: Record<string, string>;
  query?: QueryInput<C>;
  body?: BodyInput<C>;
}

const TRIES = 6;
/** A throttle counts for an hour at most. */
const LONGEST_WAIT_S = 3_600;
const later = new Set([0, 408, 423, 429, 502, 503, 504]);

/** True when the same call may succeed later. */
export const isAway = ({ status }: ApiError) => later.has(status);

/** Repeats `work` while the server is away or busy. Waits as long as the server says, or twice as long each time. */
export async function patiently<T>(work: () => Promise<T>, passes = isAway): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || !passes(error) || tries === TRIES) throw error;
      const seconds = Math.min(LONGEST_WAIT_S, error.retryAfter ?? 2 ** (tries - 1) / 2);
      if (seconds > 60) complain(`The server asks to wait for ${Math.ceil(seconds / 60)} minutes.`);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}

/** Reads the error of an answer, which may also come from a proxy in front of the server. */
export function failureOf(status: number, text: string, retryAfter: string | null | undefined): ApiError {
  let failure: Partial<Failure> = {};
  try {
    failure = (JSON.parse(text) as Failure | null) ?? {};
  } catch {
    // The answer of a proxy is not JSON.
  }
  const { error = '', message = `The server answered with status ${status}.`, errors } = failure;
  const sentence = Array.isArray(errors) && errors.length > 0 ? errors.map((one) => one.message).join(' ') : message;
  return new ApiError(status, error, sentence, retryAfter ? Number(retryAfter) || undefined : undefined);
}

/** The refusal to go on at another address than that of the login. */
export const elsewhere = (url: string): ApiError =>
  new ApiError(400, 'ELSEWHERE', `${url} leads to another address. Log in with that address, if you trust it.`);

async function request<C extends CallShape>(
  { url, token }: Login,
  call: C,
  { params = {}, query, body }: Input<C>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const path = call.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const answer = await fetch(`${url}/api${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`, {
    method: call.method.toUpperCase(),
    // A redirect could take the body to another server, or to one without TLS.
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, 'UNREACHABLE', `${url} cannot be reached.`);
  });
  if (answer.status >= 300 && answer.status < 400) throw elsewhere(url);
  if (!answer.ok) throw failureOf(answer.status, await answer.text(), answer.headers.get('retry-after'));
  return answer;
}

/** Makes a call. Throws an `ApiError`. */
export async function send<C extends CallShape>(
  login: Login,
  call: C,
  input: Input<C> = {},
  headers?: Record<string, string>,
): Promise<Success<DataOf<C>>> {
  return patiently(async () => {
    const answer = await request(login, call, input, headers);
    return (await answer.json()) as Success<DataOf<C>>;
  });
}

/** Makes a call that answers with bytes. */
export const open = <C extends CallShape>(login: Login, call: C, params: Record<string, string>): Promise<Response> =>
  patiently(() => request(login, call, { params }));
