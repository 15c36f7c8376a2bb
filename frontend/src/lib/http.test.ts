/// <reference types="node" />
// biome-ignore lint/style/noRestrictedImports: a real server for the client under test
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
// biome-ignore lint/style/noRestrictedImports: as above
import type { AddressInfo } from 'node:net';
import { authCalls } from '@lightbox/contract/auth/calls.js';
import { userCalls } from '@lightbox/contract/users/calls.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { errorText } from './errors';
import { ApiError, connectSession, freshToken, send } from './http';
import { uuid } from './uuid';

type Handler = (
  request: IncomingMessage,
  body: string,
) => { status: number; body: unknown; headers?: Record<string, string> };

let server: Server;
let handler: Handler;
let asked: { url: string; method: string; headers: IncomingMessage['headers']; body: string }[];
/** The token in the session's storage, to which other tabs can write too. */
let stored: string;
let ended: number;
let locked: number;
/** The proofs that the client asked the person for, and the person's response. */
let questions: unknown[];
let proves: boolean;
let memory: string;
let person: string;

const realFetch = globalThis.fetch;

beforeEach(async () => {
  asked = [];
  ended = 0;
  locked = 0;
  questions = [];
  proves = false;
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      asked.push({ url: request.url ?? '', method: request.method ?? '', headers: request.headers, body });
      const answer = handler(request, body);
      response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => realFetch(new URL(url, base), init));
  memory = stored = 'old';
  person = 'a';
  connectSession({
    token: () => memory,
    person: () => person,
    reread: () => {
      memory = stored;
      return memory;
    },
    keep: (token) => {
      memory = stored = token;
    },
    end: () => {
      ended += 1;
      person = '';
    },
    lock: () => {
      locked += 1;
    },
    prove: async (ways) => {
      questions.push(ways);
      return proves;
    },
  });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await new Promise((closed) => server.close(closed));
});

/** A refusal whose message is not the server's own: the client must use the code. */
const no = (error: string) => ({ status: 401, body: { message: 'In other words', error, requestId: 'r1' } });
const refreshes = () => asked.filter(({ url }) => url === '/api/auth/refresh').length;

/** A server that accepts only the token `new`, and issues it for the cookie. */
const expiring: Handler = (request) => {
  if (request.url === '/api/auth/refresh') return { status: 200, body: { data: { token: 'new' } } };
  if (request.headers.authorization === 'Bearer new') return { status: 200, body: { data: { totalImages: 1 } } };
  return no('JWT_EXPIRED');
};

test('The code TOTP_REQUIRED locks the session and does not end it.', async () => {
  handler = () => ({ status: 403, body: { message: 'First', error: 'TOTP_REQUIRED', requestId: 'r' } });
  await expect(send(userCalls.getStats, {})).rejects.toMatchObject({ code: 'TOTP_REQUIRED' });
  expect([locked, ended]).toEqual([1, 0]);
});

test.each([true, false])(
  'A call that needs a proof is repeated only after the person gave one: %s.',
  async (proven) => {
    proves = proven;
    const refused = { message: 'Prove it', error: 'STEP_UP_REQUIRED', requestId: 'r', ways: ['password'] };
    handler = () =>
      asked.length === 1 ? { status: 403, body: refused } : { status: 200, body: { data: { totalImages: 1 } } };
    const answer = send(userCalls.getStats, {});
    if (proven) expect((await answer).data.totalImages).toBe(1);
    else await expect(answer).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
    expect([questions, asked.length]).toEqual([[['password']], proven ? 2 : 1]);
  },
);

describe('an expired token', () => {
  test('Calls that fail together share one refresh, and each call is repeated.', async () => {
    handler = expiring;
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(userCalls.getStats, {})));
    expect(answers.map(({ data }) => data.totalImages)).toEqual([1, 1, 1, 1]);
    expect(refreshes()).toBe(1);
    expect(stored).toBe('new');
    expect(ended).toBe(0);
  });

  test('The client takes the token from storage when another tab has already refreshed it.', async () => {
    handler = expiring;
    stored = 'new';
    await send(userCalls.getStats, {});
    expect(refreshes()).toBe(0);
  });

  test('A refused refresh ends the session.', async () => {
    handler = (request) => (request.url === '/api/auth/refresh' ? no('UNAUTHENTICATED') : no('JWT_EXPIRED'));
    await expect(send(userCalls.getStats, {})).rejects.toMatchObject({ status: 401, code: 'JWT_EXPIRED' });
    expect(ended).toBe(1);
  });

  test('A refresh that cannot reach the server does not end the session.', async () => {
    handler = (request) =>
      request.url === '/api/auth/refresh'
        ? { status: 503, body: { message: 'Away', error: 'UNAVAILABLE', requestId: 'r' } }
        : no('JWT_EXPIRED');
    await expect(send(userCalls.getStats, {})).rejects.toMatchObject({ status: 503 });
    expect(ended).toBe(0);
  });

  test('The client sends no refresh when the given token is no longer the current one.', async () => {
    handler = expiring;
    memory = 'new';
    expect(await freshToken('old')).toBe('new');
    expect(asked).toHaveLength(0);
  });
});

describe('a call during which another person signs in', () => {
  /** Another tab: the caller has signed out, and this person has signed in. */
  const change = (to: string) => {
    person = to;
    memory = stored = to && `token of ${to}`;
  };
  const changed = { code: 'PERSON_CHANGED' };

  test('A call of one person is never repeated with the token of the next one.', async () => {
    handler = () => {
      change('b');
      return no('JWT_EXPIRED');
    };
    await expect(send(userCalls.getStats, {})).rejects.toMatchObject(changed);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer old']);
    expect(ended).toBe(0);
  });

  test('A token that was refreshed for one person is not stored for the next one, nor used for the call.', async () => {
    handler = (request) => {
      if (request.url !== '/api/auth/refresh') return no('JWT_EXPIRED');
      change('b');
      return { status: 200, body: { data: { token: 'new' } } };
    };
    await expect(send(userCalls.getStats, {})).rejects.toMatchObject(changed);
    expect([memory, stored]).toEqual(['token of b', 'token of b']);
    expect(asked).toHaveLength(2);
  });

  test('A refresh that is refused for one person does not end the session of the next one.', async () => {
    handler = (request) => {
      if (request.url === '/api/auth/refresh') change('b');
      return no(request.url === '/api/auth/refresh' ? 'UNAUTHENTICATED' : 'JWT_EXPIRED');
    };
    await expect(send(userCalls.getStats, {})).rejects.toMatchObject(changed);
    expect([ended, memory]).toEqual([0, 'token of b']);
  });

  test.each([200, 403, 500])(
    'Its answer with status %i is not for the next person, and changes no session.',
    async (status) => {
      handler = () => {
        change('b');
        return { status, body: { data: {}, error: 'TOTP_REQUIRED', message: 'First' } };
      };
      await expect(send(userCalls.getStats, {})).rejects.toMatchObject(changed);
      expect([locked, ended]).toEqual([0, 0]);
    },
  );

  test('An answer after the sign-out counts only for the call that signs out.', async () => {
    handler = () => {
      change('');
      return { status: 200, body: { data: {} } };
    };
    await send(authCalls.logout, { body: {} }, { endsSession: true });
    person = 'a';
    await expect(send(userCalls.getStats, {})).rejects.toMatchObject(changed);
    person = 'a';
    handler = () => {
      change('b');
      return { status: 200, body: { data: {} } };
    };
    await expect(send(authCalls.logout, { body: {} }, { endsSession: true })).rejects.toMatchObject(changed);
  });
});

describe('a refusal', () => {
  test('An ApiError has the status, code, field errors, request id and retry time of the answer.', async () => {
    handler = () => ({
      status: 429,
      headers: { 'Retry-After': '90' },
      body: {
        message: 'Slow',
        error: 'TOO_MANY_REQUESTS',
        errors: [{ field: 'email', message: 'No.' }],
        requestId: 'r7',
      },
    });
    const error = await send(userCalls.getStats, {}).catch((failed: unknown) => failed);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 429,
      code: 'TOO_MANY_REQUESTS',
      message: 'Slow',
      errors: [{ field: 'email', message: 'No.' }],
      requestId: 'r7',
      retryAfter: 90,
    });
  });

  test('A revoked token ends the session; a wrong password does not.', async () => {
    handler = () => no('AUTHENTICATION_FAILED');
    await expect(send(userCalls.getStats, {})).rejects.toBeInstanceOf(ApiError);
    expect(ended).toBe(1);
    handler = () => no('INVALID_CREDENTIALS');
    const body = { email: 'a@example.org', password: 'x' };
    await expect(send(authCalls.login, { body }, { token: 'none' })).rejects.toBeInstanceOf(ApiError);
    expect(ended).toBe(1);
    expect(asked.at(-1)?.headers.authorization).toBeUndefined();
  });

  test('An answer without JSON and an unreachable server are ApiErrors too.', async () => {
    vi.stubGlobal('fetch', async () => new Response('<html>', { status: 502 }));
    await expect(send(userCalls.getStats, {})).rejects.toMatchObject({ status: 502, code: 'UNKNOWN' });
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(send(userCalls.getStats, {})).rejects.toMatchObject({ status: 0, code: 'UNREACHABLE' });
  });
});

describe('a call', () => {
  test('A call fills in its path and query, and marks background work in a header.', async () => {
    handler = () => ({ status: 200, body: { data: [] } });
    await send(userCalls.getUser, { params: { id: 'a/b' } });
    await send(userCalls.listUsers, { query: { page: 2, search: 'Zoë', role: undefined } }, { background: true });
    expect(asked[0]?.url).toBe('/api/users/a%2Fb');
    expect(asked[1]?.url).toBe('/api/users?page=2&search=Zo%C3%AB');
    expect(asked[1]?.headers['x-background']).toBe('1');
    expect(asked[1]?.headers.authorization).toBe('Bearer old');
  });

  test('A call that changes data repeats the token of the XSRF cookie in a header.', async () => {
    // biome-ignore lint/suspicious/noDocumentCookie: the server would set this cookie
    document.cookie = 'XSRF-TOKEN=x%2Fy';
    handler = () => ({ status: 200, body: {} });
    await send(authCalls.logout, { body: {} });
    await send(userCalls.getStats, {});
    expect(asked[0]?.headers['x-xsrf-token']).toBe('x/y');
    expect(asked[1]?.headers['x-xsrf-token']).toBeUndefined();
  });

  test('A failure without a message from the server leaves the text to the screen.', async () => {
    handler = () => ({ status: 500, body: {} });
    const error = await send(userCalls.getStats, {}).catch((failed: unknown) => failed);
    expect(errorText(error, 'Login failed. Please try again.')).toBe('Login failed. Please try again.');
    expect(errorText(error)).toBe('An error occurred. Please try again.');
  });
});

test('A UUID can be made on plain http, where browsers have no randomUUID.', () => {
  const { getRandomValues } = crypto;
  vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) });
  const made = [uuid(), uuid()];
  vi.unstubAllGlobals();
  for (const one of made) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(2);
});
