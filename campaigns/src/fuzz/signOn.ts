import type { Identity } from '@lightbox/contract/signOn/calls.js';
import { call, data } from '../bench/client.js';
import { accountsOf, expectAccounts } from './accounts.js';
import { type Campaign, expectAlive, Findings, type Row } from './campaign.js';
import { CLINIC, HOSTILE, type Written } from './providers.js';
import { mutate, Random } from './random.js';

const TIMEOUT_MS = 8_000;
/** The statuses that these requests may have. A provider that answers nonsense is `SIGN_ON_AWAY`, the only 503. */
const allowed = new Set([200, 400, 401, 403, 404, 409, 413, 415, 422]);
const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';

/** Values of claims, parameters and bodies that a parser may read wrongly. */
const oddities: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  [],
  [[]],
  ['doctors', ['doctors']],
  {},
  { $ne: 1 },
  { $gt: '' },
  '__proto__',
  'constructor',
  'admin',
  '\u0000',
  '\ud83d',
  '\u202eevil',
  'İ@clinic.test',
  'a@clinic.test\r\nBcc: b@clinic.test',
  'x'.repeat(5_000),
  '//evil.example',
  'javascript:alert(1)',
  '%00',
  '%',
  '&state=&state=',
];
const claims = ['sub', 'email', 'email_verified', 'name', 'given_name', 'family_name', 'preferred_username', 'groups'];
const more = ['amr', 'acr', 'sid', 'nonce', 'aud', 'iss', 'exp', 'iat', 'auth_time', 'azp'];

/** Sends odd answers of providers, odd ones in their place, and odd logout tokens. */
export async function fuzzSignOn({ product, people, providers, wishes, say }: Campaign): Promise<Row[]> {
  const findings = new Findings(say);
  const random = new Random(wishes.seed * 1000 + 900);
  const { clinic } = providers;
  const api = `${product.url}/api/auth`;
  const before = await accountsOf(product, people);
  const session = (await people.token('patient')) ?? '';
  const end = Date.now() + (wishes.minutes ? wishes.minutes * 60_000 : Number.POSITIVE_INFINITY);
  const made = new Set<string>();
  const odd = () => random.pick(oddities);
  const text = (value: unknown) => String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed();

  interface Sent {
    path: string;
    body: unknown;
    cookie?: string;
    signed?: boolean;
    /** The provider of this call may be the reason of a 503. */
    mayBeAway?: boolean;
  }
  const send = async ({ path, body, cookie, signed, mayBeAway }: Sent) => {
    findings.requests++;
    const json = Buffer.from(JSON.stringify(body));
    const what = `${path.slice(0, 200)} ${json.toString('latin1').slice(0, 300)} (seed ${wishes.seed})`;
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (cookie) headers.Cookie = cookie;
    if (signed) headers.Authorization = `Bearer ${session}`;
    const started = performance.now();
    const answer = await fetch(api + path, { method: 'POST', headers, body: new Uint8Array(json) }).catch(
      (error: Error) => error,
    );
    if (answer instanceof Error) return findings.add(`${what}: ${answer.message}`);
    const reply = await answer.text();
    const took = Math.round(performance.now() - started);
    const isAway = mayBeAway && answer.status === 503 && reply.includes('"SIGN_ON_AWAY"');
    if (!allowed.has(answer.status) && !isAway)
      findings.add(`${what}: answered ${answer.status} ${reply.slice(0, 200)}`);
    if (took > TIMEOUT_MS) findings.add(`${what}: took ${took} ms`);
    if (answer.status >= 400 && !reply.includes('"requestId"')) findings.add(`${what}: no envelope`);
    const parsed = JSON.parse(reply) as { error?: string; data?: { url?: string; user?: { id: string } } };
    if (answer.status < 400 && parsed.data?.user) made.add(parsed.data.user.id);
    return { parsed, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  };

  const begin = async (provider: string) => {
    const path = `/sign-on/${provider}`;
    const body = random.below(2) ? {} : { returnTo: text(odd()) };
    const begun = await send({ path, body, mayBeAway: provider === HOSTILE });
    return { url: begun?.parsed.data?.url ?? '', cookie: begun?.cookie ?? '' };
  };
  const finishOf = (provider: string) =>
    random.pick([
      `/sign-on/${provider}/finish`,
      `/sign-on/${provider}/finish`,
      `/identities/${provider}/finish`,
      `/step-up/sign-on/${provider}/finish`,
    ]);

  /** A person signs in, and something of the answer, of the cookie or of the ID token is wrong. */
  const changedAnswer = async (n: number) => {
    const sub = `fuzz-${random.below(n + 1)}`;
    clinic.people.set(sub, {
      email: random.below(6) ? `${sub}@sign-on.test` : people.email('admin'),
      email_verified: random.below(4) > 0,
      name: text(odd()),
      amr: random.below(2) ? ['mfa'] : ['pwd'],
    });
    const { url, cookie } = await begin(CLINIC);
    // The address to return to was refused.
    if (!url) return;
    const back = (await clinic.browser().signIn(url, sub)).search.slice(1);
    const kind = random.below(4);
    if (kind === 0) {
      const path = finishOf(CLINIC);
      return send({
        path,
        body: { query: mutate(Buffer.from(back), random).toString('latin1') },
        cookie,
        signed: true,
      });
    }
    if (kind === 1) {
      const [name = '', value = ''] = cookie.split('=', 2);
      const changed = mutate(Buffer.from(value), random)
        .toString('latin1')
        .replace(/[^\x21-\x7e]|[;,]/g, '');
      return send({ path: finishOf(CLINIC), body: { query: back }, cookie: `${name}=${changed}`, signed: true });
    }
    if (kind === 2)
      return send({
        path: finishOf(CLINIC),
        body: { query: back, ...(random.below(2) ? {} : { x: odd() }) },
        cookie,
        signed: true,
      });
    const faults = Array.from({ length: 1 + random.below(3) }, () => [
      random.pick(random.below(4) ? claims : more),
      odd(),
    ]);
    clinic.tamper((own) => ({ ...own, ...Object.fromEntries(faults) }));
    return send({ path: `/sign-on/${CLINIC}/finish`, body: { query: back }, cookie });
  };

  const token = () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${encode({ alg: random.pick(['none', 'RS256', 'HS256', 'x']), kid: odd() })}.${encode({ iss: providers.issuer, sub: odd() })}.${random.pick(['', 'AAAA', text(odd())])}`;
  };
  const written = (): Written => {
    const tokens = {
      access_token: odd(),
      token_type: random.below(3) ? 'Bearer' : odd(),
      id_token: random.below(3) ? token() : odd(),
    };
    const json = Buffer.from(
      JSON.stringify(random.below(3) ? tokens : random.below(2) ? { error: odd(), error_description: odd() } : odd()),
    );
    return {
      status: random.pick([200, 200, 200, 201, 204, 302, 400, 401, 404, 429, 500, 503]),
      type: random.pick(['application/json', 'application/json', 'text/html', 'application/jwt', 'x']),
      body: random.below(3) ? json : mutate(json, random),
    };
  };
  /** The provider itself answers nonsense: for its metadata, its keys or a code. */
  const hostileProvider = async () => {
    providers.answer((path) => (path.startsWith('/.well-known') && random.below(2) ? null : written()));
    const { url, cookie } = await begin(HOSTILE);
    const state = url && new URL(url).searchParams.get('state');
    const query = new URLSearchParams({ code: text(odd()), state: state || text(odd()), iss: providers.issuer });
    if (random.below(4) === 0)
      query.append(random.pick(['error', 'state', 'iss', 'response', 'id_token']), text(odd()));
    await send({ path: `/sign-on/${HOSTILE}/finish`, body: { query: query.toString() }, cookie, mayBeAway: true });
  };

  const logout = async (n: number) => {
    const now = Math.floor(Date.now() / 1000);
    const whole: Record<string, unknown> = {
      iss: clinic.issuer,
      aud: 'lightbox',
      iat: now,
      exp: now + 60,
      jti: `fuzz-${n}`,
      events: { [LOGOUT]: {} },
      sub: `fuzz-${random.below(n + 1)}`,
    };
    for (let faults = random.below(4); faults > 0; faults--)
      whole[random.pick([...Object.keys(whole), 'sid', 'nonce'])] = odd();
    const good = await clinic.sign(whole, random.pick(['logout+jwt', 'JWT', 'x']));
    const bad = random.below(2) ? good : mutate(Buffer.from(good), random).toString('latin1');
    const provider = random.pick([CLINIC, CLINIC, HOSTILE, encodeURIComponent(text(odd())).slice(0, 100)]);
    const path = `/sign-on/${provider || 'x'}/back-channel-logout`;
    await send({ path, body: { logout_token: random.below(8) ? bad : odd() }, mayBeAway: provider === HOSTILE });
  };

  const nonsense = async () => {
    const provider = random.pick([CLINIC, HOSTILE, encodeURIComponent(text(odd())).slice(0, 100) || 'x']);
    const path = random.pick([
      `/sign-on/${provider}`,
      `/identities/${provider}/begin`,
      '/step-up/sign-on',
      finishOf(provider),
    ]);
    const body = random.pick([{ query: text(odd()) }, { query: odd() }, { returnTo: odd() }, odd()]);
    await send({
      path,
      body,
      cookie: `lightbox_sign_on=${encodeURIComponent(text(odd())).slice(0, 500)}`,
      signed: random.below(2) === 0,
      mayBeAway: provider === HOSTILE,
    });
  };

  const kinds = [changedAnswer, changedAnswer, hostileProvider, logout, nonsense];
  for (let i = 0; i < (wishes.examples ?? 250) * 2 && Date.now() < end; i++) await random.pick(kinds)(i);
  providers.answer(() => null);
  await expectAlive(product, findings);
  expectAccounts(findings, before, await accountsOf(product, people), made);
  const identities = await data<Identity[]>(
    call(`${api}/identities`, { token: (await people.token('patient')) ?? '' }),
  );
  if (identities.length > 0) findings.add('a sign-in was linked to the account of another session');
  return [{ campaign: 'single sign-on', operations: 7, requests: findings.requests, failures: findings.lines.length }];
}
