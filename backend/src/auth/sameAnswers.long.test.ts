import { randomBytes, randomUUID } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { consequencesOf } from '@lightbox/core/events/reactions.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Response, Test } from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildPatient, buildProvider, mailedCode, PASSWORD, type Person } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test } = useGateway({ rateLimits: true, trustProxy: 1 });
let bystander: Person;

beforeAll(async () => {
  bystander = await buildPatient(test.gateway);
});

const FIRST = 'Meadow-Copper-19';
const SECOND = 'Quartz-Heron-58';

/** An attacker who wants to know if `email` has an account, with an address of their own. */
class Stranger {
  readonly answers: unknown[] = [];
  private readonly address = `198.51.${[...randomBytes(2)].join('.')}`;
  private readonly names = randomBytes(5).toString('hex');
  private readonly key = randomUUID();
  private token = '';

  constructor(
    private readonly email: string,
    private readonly role: string,
  ) {}

  private async ask(test: Test): Promise<void> {
    const answer = await test.set('X-Forwarded-For', this.address);
    this.token = answer.body.data?.token ?? this.token;
    this.answers.push(this.shape(answer));
  }

  /** Returns the answer, with a mark for every value that differs between two answers anyway. */
  private shape({ status, body, headers }: Response): unknown {
    const text = JSON.stringify(body)
      .replaceAll(this.email, 'EMAIL')
      .replaceAll(this.names, 'NAMES')
      .replace(/"(id|token|requestId|createAt)":"[^"]+"/g, '"$1":"…"');
    const ownHeaders = Object.keys(headers).filter((name) => !/^(date|etag|content-length)$/.test(name));
    return { status, text, headers: ownHeaders.sort() };
  }

  private get api(): Client {
    return new Client(test.url).as(this.token || null);
  }

  register(changes: object = {}, key?: string): Promise<void> {
    const { email, role, names } = this;
    const fixed = { firstname: 'Zoë', lastname: 'Khan', username: `${names}.one`, password: FIRST };
    const call = new Client(test.url).post('/auth/register', { email, role, ...fixed, ...changes });
    return this.ask(key ? call.set('Idempotency-Key', key) : call);
  }
  again = (changes: object = {}) => this.register(changes, this.key);
  second = () => this.register({ username: `${this.names}.two`, password: SECOND, firstname: 'Ada' });
  renamed = () => this.register({ username: `${this.names}.other` });
  /** The name of the address's owner, where there is one; else that of somebody else. */
  named = (username: string) => this.register({ username });
  probe = () => this.register({ email: `${this.names}@probe.test`, password: SECOND });
  login = (password: string) => this.ask(new Client(test.url).post('/auth/login', { email: this.email, password }));
  confirm = () => this.ask(this.api.post('/auth/confirm', { code: '000000' }));
  resend = () => this.ask(this.api.post('/auth/resend-code', {}));
  forgot = () => this.ask(new Client(test.url).post('/auth/forgot-password', { email: this.email }));
  reset = () =>
    this.ask(
      new Client(test.url).post('/auth/reset-password', { email: this.email, otp: '000000', newPassword: SECOND }),
    );
}

type Sequence = (stranger: Stranger, ownersName: string) => Promise<void>;
const sequences: [string, Sequence][] = [
  [
    'register, sign in, guess the code, ask for another',
    async (s) => {
      await s.register();
      await s.login(FIRST);
      for (let i = 0; i < 6; i++) await s.confirm();
      await s.resend();
      await s.confirm();
      await s.login('Wrong-Pass-1');
      await s.login(FIRST);
    },
  ],
  [
    'register twice, with two passwords',
    async (s) => {
      await s.register();
      await s.second();
      await s.login(SECOND);
      await s.login(FIRST);
      await s.confirm();
      await s.probe();
    },
  ],
  [
    'register again, with and without a key',
    async (s) => {
      await s.again();
      await s.again();
      await s.confirm();
      await s.again({ password: SECOND });
      await s.again({ firstname: 'Eve' });
      await s.register();
      await s.register({ password: SECOND });
      await s.login(SECOND);
      await s.login(FIRST);
    },
  ],
  [
    'register again with another name, twice',
    async (s) => {
      await s.register();
      await s.renamed();
      await s.renamed();
      await s.register();
      await s.login(FIRST);
    },
  ],
  [
    'forget the password before and after',
    async (s) => {
      await s.forgot();
      await s.reset();
      await s.register();
      await s.forgot();
      for (let i = 0; i < 7; i++) await s.reset();
      await s.login(FIRST);
      await s.forgot();
      await s.forgot();
    },
  ],
  [
    'take the name of somebody who may be the owner',
    async (s, ownersName) => {
      await s.named(ownersName);
      await s.login(FIRST);
      await s.register();
      await s.named(ownersName);
      await s.login(FIRST);
    },
  ],
  [
    'guess between right passwords',
    async (s) => {
      await s.register();
      for (let i = 0; i < 12; i++) await s.login(i % 4 === 3 ? FIRST : 'Wrong-Pass-1');
    },
  ],
];

const owners: [string, (changes?: Partial<UserDoc>) => Promise<Person>][] = [
  ['a patient', () => buildPatient(test.gateway)],
  ['a provider who waits', () => buildProvider(test.gateway, { status: 'pending' })],
  ['somebody switched off', () => buildPatient(test.gateway, { active: false })],
];
const roles = ['patient', 'healthProvider'] as const;

async function play(sequence: Sequence, email: string, role: string, name: string): Promise<unknown[]> {
  const stranger = new Stranger(email, role);
  await sequence(stranger, name);
  return stranger.answers;
}

/** The addresses that the sequences name. Only these may get mail. */
const named = new Set<string>();

/** Returns the mailboxes to which mails went. */
async function mailed(): Promise<string[]> {
  const events = await test.gateway.models.Event.find({}).lean<EventDoc[]>();
  const told = events.filter((event) => consequencesOf(event.type)?.mail?.(event));
  const ids = told.flatMap(({ record }) => (record ? [record] : []));
  const users = await test.gateway.models.User.find({ _id: { $in: ids } }).lean<UserDoc[]>();
  return users.map(({ email }) => email).filter((email) => !email.endsWith('@probe.test'));
}

// All at once, because each call waits for most of its constant time, which is longer on a busy machine.
it.concurrent.each(sequences)(
  '%s: is answered alike whether or not the address has an account',
  { timeout: 240_000 },
  async (_, sequence) => {
    const free = { email: `free.${randomBytes(6).toString('hex')}@hospital.test`, username: bystander.username };
    const people = await Promise.all(owners.map(([, build]) => build()));
    const other = await buildPatient(test.gateway);
    const otherFree = { ...free, email: `h.${free.email}` };
    const asked = { patient: [free, ...people], healthProvider: [otherFree, other] };
    for (const { email } of Object.values(asked).flat()) named.add(email);
    for (const role of roles) {
      const [expected, ...others] = await Promise.all(
        asked[role].map(({ email, username }) => play(sequence, email, role, username)),
      );
      for (const [i, answers] of others.entries()) expect(answers, owners[i]?.[0]).toEqual(expected);
    }
  },
);

/** The acts of an owner while a stranger guesses. For an address without an account nobody acts. */
interface Owner {
  ask: () => Promise<void>;
  use: () => Promise<void>;
}
type Watch = (s: Stranger, owner: Owner) => Promise<void>;

const guesses = async (s: Stranger, count: number) => {
  for (let i = 0; i < count; i++) await s.reset();
};
const later = () => test.clock.forward({ minutes: limits.codeMinutes, seconds: 1 });

const watches: [string, Watch][] = [
  [
    'has just used a reset code',
    async (s, owner) => {
      await owner.ask();
      await owner.use();
      await guesses(s, 7);
    },
  ],
  [
    'let a reset code expire',
    async (s, owner) => {
      await owner.ask();
      later();
      await guesses(s, 7);
      later();
      await guesses(s, 1);
    },
  ],
  [
    'asks for a reset code and uses it between guesses',
    async (s, owner) => {
      await guesses(s, 1);
      await owner.ask();
      await guesses(s, 1);
      await owner.use();
      await guesses(s, 4);
      later();
      await guesses(s, 1);
    },
  ],
  [
    'asks, and uses the code, after the stranger has asked too',
    async (s, owner) => {
      await s.forgot();
      await guesses(s, 2);
      await owner.ask();
      await guesses(s, 1);
      await owner.use();
      await guesses(s, 3);
      later();
      await guesses(s, 1);
    },
  ],
  [
    'uses the code that the stranger asked for',
    async (s, owner) => {
      await s.forgot();
      await guesses(s, 1);
      await owner.use();
      await guesses(s, 1);
      later();
      await guesses(s, 1);
    },
  ],
  [
    'has got all mails of ten minutes',
    async (s, owner) => {
      await owner.ask();
      await owner.ask();
      await s.forgot();
      await guesses(s, 2);
      later();
      await guesses(s, 1);
    },
  ],
  [
    'uses a reset code among the guesses of an hour',
    async (s, owner) => {
      await guesses(s, throttles.resetCode.points - 1);
      await owner.ask();
      await owner.use();
      await guesses(s, 2);
    },
  ],
];

it.each(watches)('a stranger does not learn that the owner %s', { timeout: 240_000 }, async (_, watch) => {
  const nothing: Owner = { ask: async () => {}, use: async () => {} };
  const idle = await buildPatient(test.gateway);
  const busy = await buildPatient(test.gateway);
  const home = `192.0.2.${randomBytes(1)[0]}`;
  const acts: Owner = {
    ask: async () => {
      const call = new Client(test.url).post('/auth/forgot-password', { email: busy.email });
      await call.set('X-Forwarded-For', home).expect(200);
    },
    use: async () => {
      const { code: otp } = await mailedCode(test.gateway, busy._id, 'reset');
      const body = { email: busy.email, otp, newPassword: FIRST };
      await new Client(test.url).post('/auth/reset-password', body).set('X-Forwarded-For', home).expect(200);
    },
  };
  const answersTo = async (email: string, owner: Owner) => {
    named.add(email);
    const stranger = new Stranger(email, 'patient');
    await watch(stranger, owner);
    return stranger.answers;
  };
  // One after another, because they move the clock.
  const expected = await answersTo(`free.${randomBytes(6).toString('hex')}@hospital.test`, nothing);
  expect(await answersTo(idle.email, nothing)).toEqual(expected);
  expect(await answersTo(busy.email, acts)).toEqual(expected);
});

it('Nobody gets mail but the owners of the addresses that are named.', async () => {
  const addresses = await mailed();
  expect(addresses).not.toEqual([]);
  expect(addresses.filter((email) => !named.has(email))).toEqual([]);
});

it('the owner’s own password continues to work, and a decoy expires after thirty days', async () => {
  const owner = await buildPatient(test.gateway);
  const stranger = new Stranger(owner.email, 'patient');
  await stranger.register();
  const login = (password: string) => new Client(test.url).post('/auth/login', { email: owner.email, password });
  const { body } = await login(PASSWORD).expect(200);
  expect(body.data.user.id).toBe(owner.id);
  expect((await login(FIRST).expect(200)).body.data.user.id).not.toBe(owner.id);
  const kept = JSON.stringify(await test.gateway.models.Decoy.find({}).lean());
  expect(kept).not.toContain(owner.email);
  test.clock.forward({ hours: 24 * 30 });
  await login(FIRST).expect(401);
  await login(PASSWORD).expect(200);
});

it('a repeated registration opens no later sign-in', async () => {
  const email = `own.${randomBytes(6).toString('hex')}@hospital.test`;
  const given = {
    email,
    username: email.split('@')[0],
    role: 'patient',
    firstname: 'A',
    lastname: 'B',
    password: FIRST,
  };
  const key = randomUUID();
  const register = () => new Client(test.url).post('/auth/register', given).set('Idempotency-Key', key).expect(201);
  const first = (await register()).body.data;
  const codeOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).rid;
  await new Client(test.url).post('/auth/login', { email, password: FIRST }).expect(200);
  expect(codeOf((await register()).body.data.token)).toBe(codeOf(first.token));
  await test.gateway.models.Code.updateOne({ _id: codeOf(first.token) }, { $set: { usedAt: new Date() } });
  expect((await register()).body.data).toEqual({ user: first.user });
});
