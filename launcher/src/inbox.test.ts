import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Inbox, startInbox } from './inbox.js';

const token = 'A-token-of-its-own';
let folder: string;
let inbox: Inbox;

const start = () => startInbox({ smtpPort: 0, webPort: 0, folder, token });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-inbox-'));
  inbox = await start();
  await send('patient@demo.example', 'Your verification code', 'Code: 123456\n\nLink: http://localhost:3000/x?a=1&b=2');
});
afterAll(async () => {
  await inbox.stop();
  rmSync(folder, { recursive: true });
});

async function send(to: string, subject: string, body: string, html?: string): Promise<void> {
  const mailer = createTransport(`smtp://127.0.0.1:${inbox.smtpPort}`);
  await mailer.sendMail({ from: 'no-reply@localhost', to, subject, text: body, ...(html && { html }) });
  mailer.close();
}

/** Sends a request. Unlike `fetch` it accepts a Host header. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { hostname, port } = new URL(inbox.url);
  const outgoing = request({ hostname, port, path, headers, method }).end();
  return new Promise<{ status: number | undefined; headers: object; body: string }>((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', async (res) =>
      resolve({ status: res.statusCode, headers: res.headers, body: await text(res) }),
    );
  });
}

describe('the inbox', () => {
  it('lists mails and shows one with its links to anyone who has the address of the inbox', async () => {
    const list = await (await fetch(inbox.url)).text();
    const [, path = ''] = /<a href="(mails\/[^"]+)">Your verification code<\/a>/.exec(list) ?? [];
    const page = await (await fetch(new URL(path, inbox.url))).text();
    expect(page).toContain('Code: 123456');
    expect(page).toContain('<a href="http://localhost:3000/x?a=1&amp;b=2" rel="noreferrer">');
    const [mail] = (await (await fetch(new URL('api/email', inbox.url))).json()) as object[];
    expect(mail).toMatchObject({ to: ['patient@demo.example'], subject: 'Your verification code' });
  });

  it.each([
    '/',
    '/api/email',
    '/wrong/',
    '/wrong/api/email',
    `/?token=${token}`,
    `/${token}x/api/email`,
    `//${token}/`,
  ])('shows nothing at %s', async (path) => {
    const { status, body } = await ask(path);
    expect(status).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ error: 'UNAUTHENTICATED', message: expect.stringContaining('npm start') });
  });

  it.each(['evil.example', 'evil.example:1080', 'localhost.evil.example'])(
    'rejects the Host header %s, as DNS rebinding sends it',
    async (host) => {
      for (const path of [
        '/',
        '/api/email',
        `/${token}/`,
        `/${token}/api/email`,
        '/socket.io/?EIO=4&transport=polling',
      ]) {
        const { status, body } = await ask(path, { host });
        expect(status).toBe(421);
        expect(JSON.parse(body)).toMatchObject({ error: 'MISDIRECTED' });
      }
    },
  );

  it('lets no other website read it, delete from it or frame it', async () => {
    const from = { origin: 'https://evil.example' };
    const preflight = { ...from, 'access-control-request-method': 'DELETE' };
    const answers = [
      await ask(`/${token}/api/email`, from),
      await ask(`/${token}/`, from),
      await ask('/api/email', preflight, 'OPTIONS'),
      await ask(`/${token}/api/email`, preflight, 'OPTIONS'),
      await ask('/socket.io/?EIO=4&transport=polling', from),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 405, 401]);
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer' });
      expect((headers as Record<string, string>)['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it('shows markup in a mail as text', async () => {
    const evil = '<script>alert(1)</script> https://x.example/"onclick="alert(1)';
    await send('a@b.example', `<b>Hello</b>`, evil, `<script>alert(2)</script>`);
    const list = await (await fetch(inbox.url)).text();
    const [, path = ''] = /<a href="(mails\/[^"]+)">&lt;b&gt;/.exec(list) ?? [];
    const page = await (await fetch(new URL(path, inbox.url))).text();
    for (const shown of [list, page]) expect(shown).not.toMatch(/<script|<b>|" ?onclick/);
  });

  it('keeps mails through a restart, readable by its owner only', async () => {
    await inbox.stop();
    inbox = await start();
    expect(await (await fetch(inbox.url)).text()).toContain('Your verification code');
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });
});
