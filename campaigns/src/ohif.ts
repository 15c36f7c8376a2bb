// `npm run check:ohif`: opens a shared study in the OHIF of npm, in a real browser, with the address that its recipient gets.
// It starts a product of its own, with the people of the demonstration, and OHIF on another port. Exits with 1 when the
// study is not drawn, when anything else opens, when a request goes elsewhere, or when a revoked share still opens. It also
// plants faults, which these checks must report.
import { join } from 'node:path';
import { launchChromium } from '@lightbox/e2e/chromium.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { type Product, startProduct } from '@lightbox/testkit/product.js';
import sharp from 'sharp';
import { call, closeConnections, data, postJson } from './bench/client.js';
import { People } from './fuzz/people.js';
import { type OhifPage, pictureFolder, serveOhif } from './ohif/page.js';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof launchChromium>>['newPage']>>;

const WAIT_MS = 90_000;
/** The brightness varies by more than this where the phantom is drawn, and by less on an empty page. */
const DRAWN = 20;

let faults = 0;
function check(what: string, isSo: boolean): void {
  console.log(`${isSo ? 'yes' : 'NO '}  ${what}`);
  if (!isSo) faults++;
}

interface Verdict {
  what: string;
  isSo: boolean;
}

interface Session {
  token: string;
  get: <T>(path: string) => Promise<T>;
  post: <T>(path: string, body: object) => Promise<T>;
}

const sessionOf = async (product: Product, people: People, role: 'patient' | 'healthProvider' | 'admin') => {
  const token = (await people.token(role)) ?? '';
  const get = <T>(path: string) => data<T>(call(`${product.url}/api${path}`, { token }));
  const post = <T>(path: string, body: object) => data<T>(postJson(`${product.url}/api${path}`, body, token));
  return { token, get, post } satisfies Session;
};

/** Stores three slices by STOW-RS. Returns the UID of their study. */
async function storeStudy(product: Product, token: string, study: string): Promise<string> {
  const boundary = 'slices';
  const head = `--${boundary}\r\nContent-Type: application/dicom\r\n\r\n`;
  const parts = [1, 2, 3].flatMap((n) => [
    Buffer.from(head),
    phantom({ study, instance: n, z: n * 3 }),
    Buffer.from('\r\n'),
  ]);
  const reply = await call(`${product.url}/dicom-web/studies`, {
    method: 'POST',
    token,
    type: `multipart/related; type="application/dicom"; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  });
  if (reply.status !== 200) throw new Error(`Storing: ${reply.status} ${reply.body.toString().slice(0, 300)}`);
  return `2.25.7${study}`;
}

/** Two studies of the provider. The first is shared with the patient, who enters the code. */
async function shareOne(product: Product, people: People) {
  const [owner, patient] = [
    await sessionOf(product, people, 'healthProvider'),
    await sessionOf(product, people, 'patient'),
  ];
  const { token } = await owner.post<{ token: string }>('/auth/tokens', { name: 'PACS', scopes: ['dicom'], days: 1 });
  const other = await storeStudy(product, token, '77001');
  const uid = await storeStudy(product, token, '77002');
  const [newest] = await owner.get<{ id: string; studyId: string }[]>('/upload/my-images?limit=1');
  const { id: createdfor } = await patient.get<{ id: string }>('/users/profile');
  const email = people.email('patient');
  const asked = { studyId: newest?.studyId, createdfor, expiresInHours: 1 };
  const share = await owner.post<{ id: string }>('/sharing/request', asked);
  const code = await codeFor(product, email, share.id);
  await patient.post('/sharing/verify', { sharingRequestId: share.id, verificationCode: code });
  return { owner, patient, share: share.id, studyId: newest?.studyId ?? '', uid, other, everything: token };
}

async function codeFor(product: Product, email: string, share: string): Promise<string> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; ) {
    const mail = product.mailbox.mails(email).find(({ text }) => text.includes(share));
    const code = /^Code: (\d{6})$/m.exec(mail?.text ?? '')?.[1];
    if (code) return code;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('The mail with the code did not come.');
}

/** True once OHIF has drawn a picture; false when it has not in this time. */
async function isDrawn(page: Page, name: string, waitMs: number): Promise<boolean> {
  const path = join(pictureFolder(), `${name}.png`);
  const canvas = page.locator('.cornerstone-canvas').first();
  let drawn = false;
  for (const until = Date.now() + waitMs; !drawn && Date.now() < until; ) {
    if ((await canvas.count()) > 0) {
      const { channels } = await sharp(await canvas.screenshot())
        .greyscale()
        .stats();
      drawn = (channels[0]?.stdev ?? 0) > DRAWN;
    }
    if (!drawn) await page.waitForTimeout(500);
  }
  await page.screenshot({ path });
  return drawn;
}

/** The status of a request as a page of OHIF makes it; 0 when the browser refuses it. */
const statusFrom = (page: Page, url: string, token: string): Promise<number> =>
  page.evaluate(
    async ([address, bearer]) =>
      fetch(address, { headers: { Authorization: `Bearer ${bearer}`, Accept: 'application/dicom+json' } }).then(
        ({ status }) => status,
        () => 0,
      ),
    [url, token] as const,
  );

/** An address of OHIF with its token, the study that it must open, and one that it must not. */
interface Link {
  url: string;
  token: string;
  uid: string;
  other: string;
}

/** Opens an address, and says what is open then: the study that it names, and nothing else. */
async function opens(page: Page, web: string, name: string, { url, token, uid, other }: Link, waitMs: number) {
  await page.goto(url);
  const study = (of: string) => `${web}/studies/${of}/metadata`;
  const drawn = await isDrawn(page, name, waitMs);
  const found = await page.evaluate(
    async ([address, bearer]) => {
      const answer = await fetch(`${address}/studies`, { headers: { Authorization: `Bearer ${bearer}` } });
      return ((await answer.json()) as unknown[]).length;
    },
    [web, token] as const,
  );
  return [
    { what: 'OHIF draws the shared study', isSo: drawn },
    { what: 'the study is open', isSo: (await statusFrom(page, study(uid), token)) === 200 },
    { what: 'another study of the same owner is not', isSo: (await statusFrom(page, study(other), token)) === 404 },
    { what: 'a search finds it alone', isSo: found === 1 },
  ] satisfies Verdict[];
}

/** Time that a planted fault has to draw something after all. */
const PLANTED_MS = 15_000;

/** Opens wrong addresses: each must be reported by the checks that it is about. */
async function plant(page: Page, web: string, link: Link, everything: string): Promise<void> {
  const { url, token, uid, other } = link;
  const wrong = `${token.slice(0, -4)}AAAA`;
  const planted: [name: string, link: Link, reported: string[]][] = [
    [
      'a wrong token',
      { ...link, url: url.replace(token, wrong), token: wrong },
      // 401 in place of 404 for the other study.
      [
        'OHIF draws the shared study',
        'the study is open',
        'another study of the same owner is not',
        'a search finds it alone',
      ],
    ],
    [
      'a foreign study',
      { url: url.replace(uid, other), token, uid: other, other: uid },
      ['OHIF draws the shared study', 'the study is open', 'another study of the same owner is not'],
    ],
    [
      'a token that opens everything',
      { ...link, url: url.replace(token, everything), token: everything },
      ['another study of the same owner is not', 'a search finds it alone'],
    ],
  ];
  for (const [name, bad, reported] of planted) {
    const own = await page.context().newPage();
    const verdicts = await opens(own, web, `planted-${name.replaceAll(' ', '-')}`, bad, PLANTED_MS);
    const missed = verdicts.filter(({ what, isSo }) => isSo === reported.includes(what)).map(({ what }) => what);
    check(
      `planted and reported: ${name}${missed.length > 0 ? ` (wrong about: ${missed.join('; ')})` : ''}`,
      missed.length === 0,
    );
    await own.close();
  }
}

async function run(): Promise<void> {
  let product: Product | null = null;
  const ohif: OhifPage = await serveOhif(await freePort(), () => `${product?.url}/dicom-web`);
  const browser = await launchChromium();
  try {
    console.log('Starting the product …');
    product = await startProduct({ DEMO: '1', LOG_LEVEL: 'debug', DICOMWEB_ORIGINS: ohif.origin });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await look(product, ohif, await context.newPage());
  } finally {
    closeConnections();
    await browser.close();
    await product?.stop();
    ohif.stop();
  }
}

async function look(product: Product, ohif: OhifPage, page: Page): Promise<void> {
  const people = await People.of(product);
  const { owner, patient, share, studyId, uid, other, everything } = await shareOne(product, people);
  const admin = await sessionOf(product, people, 'admin');
  const value = `${ohif.origin}/viewer?StudyInstanceUIDs={study}#token={token}`;
  await admin.post('/appsetting/add', { name: 'viewer.url', value });
  const { url } = await patient.post<{ url: string }>('/sharing/viewer', { studyId });
  const token = new URLSearchParams(new URL(url).hash.slice(1)).get('token') ?? '';

  const hosts = new Set<string>();
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http')) hosts.add(host);
  });
  const web = `${product.url}/dicom-web`;
  const study = (of: string) => `${web}/studies/${of}/metadata`;
  const link = { url, token, uid, other };
  for (const { what, isSo } of await opens(page, web, 'shared', link, WAIT_MS)) check(what, isSo);
  check('the page cannot call the API', (await statusFrom(page, `${product.url}/api/users/profile`, token)) === 0);
  const elsewhere = await page.context().newPage();
  await elsewhere.goto(url.replace(uid, other));
  check('OHIF draws no other study with the token', !(await isDrawn(elsewhere, 'other', 10_000)));
  await elsewhere.close();
  await plant(page, web, link, everything);

  await call(`${product.url}/api/sharing/${share}`, { method: 'DELETE', token: owner.token });
  const ended = Date.now();
  let status = 200;
  while (status === 200 && Date.now() - ended < 5_000) status = await statusFrom(page, study(uid), token);
  check(
    `the ended share is closed within a second (${Date.now() - ended} ms, ${status})`,
    status === 401 && Date.now() - ended < 1_000,
  );
  const after = await page.context().newPage();
  await after.goto(url);
  check('OHIF draws nothing after the end', !(await isDrawn(after, 'ended', 10_000)));

  const own = new Set([new URL(product.url).host, new URL(ohif.origin).host]);
  check(
    `no request goes elsewhere (${[...hosts].join(', ')})`,
    [...hosts].every((host) => own.has(host)),
  );
  check('the token is in no log of Lightbox', !product.output().includes(token));
  check('the token is in no request to the server of OHIF', !ohif.asked.some((path) => path.includes(token)));
}

await run();
console.log(faults === 0 ? 'OHIF shows what was shared, and nothing else.' : `${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
