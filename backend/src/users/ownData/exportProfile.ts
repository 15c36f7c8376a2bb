import type { userCalls } from '@lightbox/contract/users/calls.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { requireUser } from '@lightbox/core/access/users.js';
import { openPersonIfWhole } from '@lightbox/core/users/profile.js';
import type { Context } from '../../context.js';
import { attached } from '../../http/download.js';
import { stream } from '../../http/stream.js';
import { type StreamedEntry, zipAsItComes } from '../../http/zip.js';
import { readPhotoOf } from '../photos.js';
import { presentOneself } from '../present.js';
import { downloadable, imageFiles, type Progress } from './images.js';
import { logAsCsv, logAsJson } from './log.js';
import { messagesAsJson, messagesAsPage } from './messages.js';
import { indexPage } from './page.js';
import { sharesAsJson } from './shares.js';

/**
 * Streams all data of the caller as a zip: profile, originals, messages, log and shares. It holds the images alone that
 * the caller may download. The download is one entry of the log, which names these images and their owners.
 */
export async function exportProfile(context: Context<typeof userCalls.exportProfile>): Promise<undefined> {
  const { gateway, actor, viewer } = context;
  const now = gateway.clock.now();
  const account = openPersonIfWhole(gateway, await requireUser(gateway, viewer, viewer.id));
  const profile = presentOneself(account);
  const images = await downloadable(gateway, viewer);
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
    yield { name: 'log.csv', at: now, read: () => logAsCsv(gateway, viewer, now) };
    yield { name: 'log.json', at: now, read: () => logAsJson(gateway, viewer, now) };
    yield { name: 'shares.json', at: now, read: () => sharesAsJson(gateway, viewer) };
    const clinic = await gateway.settings.get('clinic.name');
    yield { name: 'index.html', at: now, read: () => indexPage({ profile, progress, clinic, now }, account.language) };
  }
  await stream(context, {
    chunks: zipAsItComes(entries()),
    headers: {
      ...attached(`lightbox-${now.toISOString().slice(0, 10)}.zip`, 'application/zip'),
      'Cache-Control': 'no-store',
    },
    record: () =>
      gateway.events.record(actor, {
        type: 'profile.exported',
        record: viewer._id,
        records: images.map(({ _id }) => _id),
        owners: images.map(({ owner }) => owner),
      }),
    // The image that is being sent must still be allowed, as in its own download.
    may: async (reader) => {
      if (progress.open) await requireImage(gateway.models, reader, progress.open, 'download', gateway.clock.now());
    },
  });
  return undefined;
}

async function* onePart(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
