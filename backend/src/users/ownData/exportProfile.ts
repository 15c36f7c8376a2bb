import { dateIn } from '@lightbox/contract/notifications/clock.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { requireForm } from '@lightbox/core/access/images.js';
import { requireUser } from '@lightbox/core/access/users.js';
import { timeZoneOf } from '@lightbox/core/notifications/noticeSettings.js';
import { openPersonIfWhole } from '@lightbox/core/users/profile.js';
import { consentsOf } from '../../consents/consents.js';
import type { Context, Reader } from '../../context.js';
import { attached } from '../../http/download.js';
import { stream } from '../../http/stream.js';
import { type StreamedEntry, zipAsItComes } from '../../http/zip.js';
import { inSameForm } from '../../images/imageBytes.js';
import { readPhotoOf } from '../photos.js';
import { presentOneself } from '../present.js';
import { accessOf } from './access.js';
import { annotationsAsJson } from './annotations.js';
import { downloadable, imageFiles, type Progress } from './images.js';
import { logAsCsv, logAsJson } from './log.js';
import { messagesAsJson, messagesAsPage } from './messages.js';
import { indexPage } from './page.js';
import { sharesAsJson } from './shares.js';
import { voiceFiles, voicesOf } from './voices.js';

/**
 * Streams all data of the caller as a zip: profile, originals, messages with their recordings, log, shares, marks, and
 * the programs and sign-ins that the caller has connected. It holds the images alone that the caller may download. The download is one entry of the log, which names these images, the
 * recordings, and their owners.
 */
export async function exportProfile(context: Context<typeof userCalls.exportProfile>): Promise<undefined> {
  const { gateway, actor, viewer } = context;
  const now = gateway.clock.now();
  const account = openPersonIfWhole(gateway, await requireUser(gateway, viewer, viewer.id));
  const profile = presentOneself(account);
  const timeZone = timeZoneOf(account);
  const images = await downloadable(gateway, viewer);
  const voices = await voicesOf(gateway, viewer);
  const progress: Progress = { sent: [], leftOut: [] };
  const json = (value: unknown) =>
    async function* () {
      yield JSON.stringify(value, null, 2);
    };
  async function* entries(): AsyncGenerator<StreamedEntry> {
    yield { name: 'profile.json', at: now, read: json(profile) };
    const photo = await readPhotoOf(gateway, account);
    if (photo) yield { name: 'photo.webp', at: now, read: () => onePart(photo) };
    yield* imageFiles(gateway, viewer, images, progress);
    yield { name: 'images.json', at: now, read: json({ included: progress.sent, leftOut: progress.leftOut }) };
    yield { name: 'messages.json', at: now, read: () => messagesAsJson(gateway, viewer) };
    yield { name: 'messages.html', at: now, read: () => messagesAsPage(gateway, viewer, account.language) };
    yield* voiceFiles(gateway, voices);
    yield { name: 'log.csv', at: now, read: () => logAsCsv(gateway, viewer, now) };
    yield { name: 'log.json', at: now, read: () => logAsJson(gateway, viewer, now) };
    yield { name: 'shares.json', at: now, read: () => sharesAsJson(gateway, viewer) };
    yield { name: 'annotations.json', at: now, read: () => annotationsAsJson(gateway, viewer) };
    yield { name: 'access.json', at: now, read: json(await accessOf(gateway, viewer)) };
    if (viewer.role === 'patient') {
      yield { name: 'consents.json', at: now, read: json(await consentsOf(gateway, viewer)) };
    }
    const clinic = await gateway.settings.get('clinic.name');
    const facts = { profile, progress, clinic, now, timeZone };
    yield { name: 'index.html', at: now, read: () => indexPage(facts, account.language) };
  }
  await stream(context, {
    chunks: zipAsItComes(entries()),
    headers: {
      ...attached(`lightbox-${dateIn(now, timeZone)}.zip`, 'application/zip'),
      'Cache-Control': 'no-store',
    },
    record: () =>
      gateway.events.record(actor, {
        type: 'profile.exported',
        record: viewer._id,
        records: [...images, ...voices].map(({ _id }) => _id),
        owners: [...images.map(({ owner }) => owner), ...voices.map(({ sender }) => sender)],
      }),
    // The image that is being sent must still be allowed, as in its own download.
    may: async (reader) => {
      const { open, form = { copy: null } } = progress;
      if (!open) return;
      const check = (one: Reader) => requireForm(gateway.models, one, open, 'download', gateway.clock.now());
      await inSameForm(check, form)(reader);
    },
  });
  return undefined;
}

async function* onePart(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
