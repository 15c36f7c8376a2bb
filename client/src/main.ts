#!/usr/bin/env node
import { randomUUID } from 'node:crypto';
import { basename, extname } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import { Command, InvalidArgumentError, Option } from 'commander';
import { dropLogin, keepLogin, originOf, readLogin, unfinished } from './account.js';
import { download } from './download.js';
import { ApiError, type Login, send } from './http.js';
import { complain, say } from './say.js';
import { filesOf, upload, type Wish } from './upload.js';

/** Files that are sent at the same time. */
const AT_ONCE = 3;

// So that the parts of files are removed.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

function number(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

/** Reads the token without showing it, from the terminal or from a pipe. */
async function askToken(): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { isTTY } = process.stdin;
  if (isTTY) process.stderr.write('Personal token (from your profile, under Security): ');
  const lines = createInterface({ input: process.stdin, output: silent, terminal: Boolean(isTTY) });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', (line) => resolve(line.trim()));
      // The end of the pipe, or Ctrl-C.
      lines.once('close', () => reject(new Error('No token was given.')));
    });
  } finally {
    lines.close();
    if (isTTY) process.stderr.write('\n');
  }
}

async function describeLogin(login: Login): Promise<string> {
  const { user, scopes, expiresAt } = (await send(login, securityCalls.getCurrentToken)).data;
  return `${user.username} (${user.role}) at ${login.url}. The token may: ${scopes.join(', ')}. It ends on ${expiresAt.slice(0, 10)}.`;
}

/**
 * Runs `work` for each item, a few at a time. Returns the number of items that failed, each with a line. Ends early when
 * the server no longer accepts the token: the others would fail too.
 */
async function forEach<T>(items: T[], nameOf: (item: T) => string, work: (item: T) => Promise<void>): Promise<number> {
  const left = items.values();
  let [failed, refused] = [0, false];
  const lane = async () => {
    for (const item of left) {
      if (refused) {
        failed += 1;
        continue;
      }
      try {
        await work(item);
      } catch (error) {
        failed += 1;
        refused ||= error instanceof ApiError && error.status === 401;
        complain(`failed   ${nameOf(item)}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return failed;
}

/** Shows the progress in one line of a terminal. In a pipe or a log it shows nothing. */
function progressOf(total: number): { at(path: string, sent: number): void; end(): void } {
  const { isTTY } = process.stderr;
  const sent = new Map<string, number>();
  let done = 0;
  return {
    at: (path, bytes) => {
      done += bytes - (sent.get(path) ?? 0);
      sent.set(path, bytes);
      if (!isTTY) return;
      process.stderr.write(
        `\r${Math.floor((100 * done) / Math.max(1, total))} % of ${Math.ceil(total / 1024 ** 2)} MB `,
      );
    },
    end: () => {
      if (isTTY) process.stderr.write('\r\u001b[K');
    },
  };
}

interface UploadOptions {
  caption?: string;
  patient?: string;
  reason?: string;
}

async function uploadAll(paths: string[], { caption, patient, reason }: UploadOptions): Promise<void> {
  const login = await readLogin();
  await unfinished.dropOld();
  const { files, leftOut } = await filesOf(paths);
  const progress = progressOf(files.reduce((sum, { size }) => sum + size, 0));
  const counts = { stored: 0, known: 0, skipped: 0, failed: 0 };
  for (const { path, state, reason } of leftOut) {
    counts[state] += 1;
    (state === 'failed' ? complain : say)(`${state.padEnd(8)} ${path}: ${reason}`);
  }
  counts.failed += await forEach(
    files,
    ({ path }) => path,
    async (file) => {
      const wish: Wish = {
        caption: caption ?? (basename(file.path, extname(file.path)).replaceAll('_', ' ').trim() || 'Image'),
        ...(patient ? { patientId: patient } : {}),
        ...(reason ? { mismatchReason: reason } : {}),
      };
      const outcome = await upload(login, file, wish, (sent) => progress.at(file.path, sent));
      progress.at(file.path, file.size);
      counts[outcome.state] += 1;
      progress.end();
      say(`${outcome.state.padEnd(8)} ${file.path}: ${'imageId' in outcome ? outcome.imageId : outcome.reason}`);
    },
  );
  progress.end();
  const { stored, known, skipped, failed } = counts;
  say(`${stored} stored, ${known} known already, ${skipped} skipped, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

const lists = { mine: imageCalls.listMyImages, shared: imageCalls.listSharedImages, all: imageCalls.listImages };

interface ListOptions {
  list: keyof typeof lists;
  limit: number;
  json?: boolean;
}

const rowOf = ({ id, createAt, contentType, isShared, caption }: Image): string =>
  [id, createAt, contentType.padEnd(17), isShared ? 'shared' : '      ', caption].join('  ');

async function list({ list: name, limit, json }: ListOptions): Promise<void> {
  const login = await readLogin();
  let cursor: string | undefined;
  for (let left = limit; left > 0; ) {
    const query = { limit: String(Math.min(left, limits.pageLimitMax)), ...(cursor ? { cursor } : {}) };
    const { data, pagination } = await send(login, lists[name], { query });
    // A preview is a long text that says nothing in a terminal.
    for (const { image_url: _, ...image } of data)
      say(json ? JSON.stringify(image) : rowOf({ ...image, image_url: null }));
    left -= data.length;
    cursor = pagination?.nextCursor;
    if (!pagination?.hasNextPage || !cursor || data.length === 0) return;
  }
}

interface ShareOptions {
  with: string[];
  hours?: number;
  download: boolean;
  identity: boolean;
  study?: boolean;
}

async function share(ids: string[], options: ShareOptions): Promise<void> {
  const login = await readLogin();
  const body = {
    [options.study ? 'studies' : 'images']: ids,
    emails: options.with,
    ...(options.hours ? { expiresInHours: options.hours } : {}),
    download: options.download,
    deidentified: !options.identity,
  };
  const { data } = await send(login, shareCalls.shareBatch, { body }, { 'idempotency-key': randomUUID() });
  for (const { id, imagemetadataId } of data.shares) say(`shared   ${imagemetadataId}: share ${id}`);
  for (const { id, email } of data.invited) say(`invited  ${email}: invitation ${id}`);
  for (const { imagemetadataId, studyId, reason } of data.skipped)
    say(`skipped  ${imagemetadataId ?? studyId}: ${reason}`);
}

const program = new Command('lightbox')
  .description('Sends, lists, shares and saves images of a Lightbox server, with a personal token.')
  .showHelpAfterError();

program
  .command('login')
  .description('Keep a server and a personal token on this computer')
  .argument('<address>', 'the address of the server, as https://images.clinic.example')
  .action(async (address: string) => {
    const login = { url: originOf(address), token: await askToken() };
    const text = await describeLogin(login);
    await keepLogin(login);
    say(`Logged in: ${text}`);
  });
program
  .command('logout')
  .description('Forget the token of this computer; it stays valid until you end it in your profile')
  .action(dropLogin);
program
  .command('whoami')
  .description('The person and the rights of the token')
  .action(async () => say(await describeLogin(await readLogin())));
program
  .command('upload')
  .description('Send files and whole folders. A run that was cut off goes on where it ended, when you repeat it.')
  .argument('<paths...>')
  .option('--caption <text>', 'a caption for all files; without it, each gets the name of its file')
  .option('--patient <id>', 'the patient to whom the images belong')
  .option('--reason <text>', 'the reason to store a file that names another patient')
  .action(uploadAll);
program
  .command('list')
  .description('List images')
  .addOption(new Option('--list <name>', 'which images').choices(Object.keys(lists)).default('mine'))
  .option('--limit <number>', 'how many at most', number, 50)
  .option('--json', 'one JSON object in each line')
  .action(list);
program
  .command('share')
  .description('Share images with people, by their email addresses')
  .argument('<ids...>')
  .requiredOption('--with <emails...>', 'the addresses; one without an account is invited')
  .option('--hours <number>', 'how long the share lasts', number)
  .option('--study', 'the ids are those of studies')
  .option('--no-download', 'the people see the pictures and cannot save the originals')
  .option('--no-identity', 'the people get copies without the names, numbers and dates of the patient')
  .action(share);
program
  .command('download')
  .description('Save originals in a folder')
  .argument('<ids...>')
  .option('--to <folder>', 'the folder', '.')
  .option('--study', 'the ids are those of studies, which are saved as zip files')
  .option('--force', 'replace files that are there already')
  .action(
    async (ids: string[], { to, study = false, force = false }: { to: string; study?: boolean; force?: boolean }) => {
      const login = await readLogin();
      const failed = await forEach(
        ids,
        (id) => id,
        async (id) => {
          const path = await download(login, id, { to, study, force });
          say(path ? `saved    ${path}` : `kept     ${id}: the file is there already`);
        },
      );
      if (failed > 0) process.exitCode = 1;
    },
  );

await program.parseAsync().catch((error: Error) => {
  complain(error.message);
  process.exitCode = 1;
});
