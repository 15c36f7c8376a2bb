import { accountsOf, expectAccounts, scimToken } from './accounts.js';
import { type Campaign, expectAlive, Findings, type Row } from './campaign.js';
import { mutate, Random } from './random.js';

const TIMEOUT_MS = 5_000;
/** The statuses that these requests may have. Any other is a finding. */
const allowed = new Set([200, 201, 204, 400, 401, 404, 405, 409, 413, 415]);

/** Values that a parser of attributes, paths or filters may read wrongly. */
const oddities: unknown[] = [
  null,
  true,
  'False',
  'tRuE',
  '',
  ' ',
  0,
  -1,
  1e308,
  [],
  [null],
  {},
  { $ne: 1 },
  { $gt: '' },
  { value: { value: 1 } },
  '$where',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud83d',
  '\u202eevil',
  'İ',
  'ﬃ@clinic.test',
  'a@b',
  'a@clinic.test\r\nBcc: b@clinic.test',
  '@'.repeat(300),
  'x'.repeat(5_000),
  'x '.repeat(150),
  'urn:ietf:params:scim:schemas:core:2.0:User:active',
  'emails[type eq "work"].value',
  'name.givenName',
  'NAME.FAMILYNAME',
  'active',
  'userName',
  'externalId',
  'id',
  'password',
  'roles',
  'meta.created',
];
const filters = [
  'userName eq "a"',
  'userName eq "\\u0000"',
  'userName eq "\\ud83d"',
  'userName eq "\\x"',
  'userName eq "',
  'userName eq ""',
  'USERNAME EQ "İ"',
  `externalId eq "${'x'.repeat(900)}"`,
  'externalId eq {"$ne":1}',
  'userName co "a"',
  'userName eq "a" or userName eq "b"',
  `${'('.repeat(400)}${')'.repeat(400)}`,
  'not (active eq true)',
  '"'.repeat(999),
  '\\'.repeat(999),
];
const numbers = [
  '',
  '-1',
  '0',
  '1',
  '2',
  '100',
  '101',
  '1e3',
  '1e309',
  '0x10',
  'NaN',
  '1000000',
  '99999999999999999999',
];

/** Returns the fields of an answer; none of one that is empty or no JSON. */
function parse(reply: string): { id?: string; status?: string; requestId?: string } {
  try {
    return JSON.parse(reply) as object;
  } catch {
    return {};
  }
}

/** Sends odd accounts, changes, filters and tokens by SCIM. */
export async function fuzzScim({ product, people, wishes, say }: Campaign): Promise<Row[]> {
  const findings = new Findings(say);
  const random = new Random(wishes.seed * 1000 + 800);
  const before = await accountsOf(product, people);
  const token = await scimToken(product, people);
  const door = `${product.url}/scim/v2`;
  const end = Date.now() + (wishes.minutes ? wishes.minutes * 60_000 : Number.POSITIVE_INFINITY);
  const made = new Set<string>();
  const foreign = [...before.keys()];

  const odd = () => random.pick(oddities);
  const text = (value: unknown) => String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed();
  const idOf = () =>
    random.pick([...foreign, ...foreign, ...made, ...made, encodeURIComponent(text(odd())), 'x', '0'.repeat(24)]);
  const account = (n: number): Record<string, unknown> => {
    const whole: Record<string, unknown> = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: random.below(4) ? `fuzz${random.below(n + 1)}@clinic.test` : people.email('patient'),
      externalId: `E-${random.below(n + 1)}`,
      name: { givenName: 'Sana', familyName: 'Mirza' },
      emails: [{ value: `fuzz${n}@clinic.test`, primary: true }],
      active: true,
    };
    for (let faults = random.below(4); faults > 0; faults--) {
      whole[random.pick([...Object.keys(whole), text(odd()).slice(0, 40)])] = odd();
    }
    return whole;
  };
  const patch = (): unknown => ({
    Operations: Array.from({ length: random.below(4) }, () => ({
      op: random.pick([...['replace', 'Add', 'remove', 'move'], odd()]),
      ...(random.below(3) ? { path: odd() } : {}),
      ...(random.below(4) ? { value: random.below(2) ? odd() : { [text(odd())]: odd(), active: odd() } } : {}),
    })),
  });

  const send = async (method: string, path: string, content?: unknown) => {
    findings.requests++;
    const json = content === undefined ? null : Buffer.from(JSON.stringify(content));
    const bytes = json && (random.below(3) === 0 ? mutate(json, random) : json);
    const bearer = random.below(12) === 0 ? encodeURIComponent(text(odd())).slice(0, 200) : token;
    const type = random.below(12) === 0 ? 'text/xml' : random.pick(['application/scim+json', 'application/json']);
    const what = `${method} ${path.slice(0, 200)} ${bytes?.toString('latin1').slice(0, 300) ?? ''} (seed ${wishes.seed})`;
    const started = performance.now();
    const answer = await fetch(door + path, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, ...(bytes ? { 'Content-Type': type } : {}) },
      ...(bytes ? { body: new Uint8Array(bytes) } : {}),
    }).catch((error: Error) => error);
    if (answer instanceof Error) return findings.add(`${what}: ${answer.message}`);
    const reply = await answer.text();
    const took = Math.round(performance.now() - started);
    if (!allowed.has(answer.status)) findings.add(`${what}: answered ${answer.status} ${reply.slice(0, 200)}`);
    if (took > TIMEOUT_MS) findings.add(`${what}: took ${took} ms`);
    const parsed = parse(reply);
    if (answer.status === 201 && parsed.id) made.add(parsed.id);
    if (answer.status < 400) return;
    const isForm = answer.headers.get('content-type')?.startsWith('application/scim+json');
    if (!isForm || parsed.status !== String(answer.status) || !parsed.requestId)
      findings.add(`${what}: no error of SCIM`);
  };

  const operations: ((n: number) => Promise<void>)[] = [
    (n) => send('POST', '/Users', account(n)),
    (n) => send('POST', '/Users', account(n)),
    (n) => send('PUT', `/Users/${idOf()}`, account(n)),
    () => send('PATCH', `/Users/${idOf()}`, random.below(5) ? patch() : odd()),
    () => send('GET', `/Users/${idOf()}`),
    () => send('DELETE', `/Users/${idOf()}`),
    () => {
      const query = new URLSearchParams();
      if (random.below(2)) query.append('filter', random.below(4) ? random.pick(filters) : text(odd()));
      if (random.below(2)) query.append('startIndex', random.pick(numbers));
      if (random.below(2)) query.append('count', random.pick(numbers));
      if (random.below(4) === 0) query.append('filter', random.pick(filters));
      return send('GET', `/Users?${query}`);
    },
    () =>
      send(
        'GET',
        random.pick(['/ServiceProviderConfig', '/Schemas', '/ResourceTypes', `/${encodeURIComponent(text(odd()))}`]),
      ),
  ];
  for (let i = 0; i < (wishes.examples ?? 250) * 4 && Date.now() < end; i++) await random.pick(operations)(i);
  await expectAlive(product, findings);
  expectAccounts(findings, before, await accountsOf(product, people), made);
  return [{ campaign: 'SCIM', operations: 9, requests: findings.requests, failures: findings.lines.length }];
}
