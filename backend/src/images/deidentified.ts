import type { DataOf } from '@lightbox/contract/call.js';
import type { imageCalls } from '@lightbox/contract/images/calls.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { covering, liveShare } from '@lightbox/core/access/shares.js';
import { copyOf } from '@lightbox/core/deidentify/copy.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Answer, Context, Gateway } from '../context.js';
import { hidesPicture, sendCopy } from './copies.js';
import { drawings } from './drawings.js';
import type { OfImage } from './imageBytes.js';
import { recordLook } from './looks.js';

const check =
  ({ gateway, params }: Omit<OfImage, 'viewer'>) =>
  (viewer: OfImage['viewer']) =>
    requireImage(gateway.models, viewer, params.id, 'share', gateway.clock.now());

/**
 * Returns the scope of the copy that the owner looks at: that of the newest share that gives one, so that it is the very
 * copy of its recipient. Before there is one, a scope of its own.
 */
async function scopeFor({ models, clock }: Gateway, image: ImageDoc): Promise<string> {
  const share = await models.Share.findOne(
    { ...covering([image]), ...liveShare(clock.now()), deidentified: true },
    { _id: 1 },
  )
    .sort({ createAt: -1, _id: -1 })
    .lean();
  return String(share?._id ?? image.study ?? image._id);
}

/** Streams the copy as a recipient would get it. */
export async function getDeidentified(context: Context<typeof imageCalls.getDeidentified>): Promise<undefined> {
  const may = check(context);
  const { image } = await may(context.viewer);
  return sendCopy(context, image, await scopeFor(context.gateway, image), may);
}

type Changes = typeof imageCalls.getDeidentifiedChanges;

/** Answers with the differences between the original and the copy. They contain the original values. */
export async function getDeidentifiedChanges(context: Context<Changes>): Promise<Answer<DataOf<Changes>>> {
  const { gateway, viewer } = context;
  const { image } = await check(context)(viewer);
  const { changes, burnedIn } = await copyOf(gateway, image, await scopeFor(gateway, image));
  const hidden = await hidesPicture(gateway, [image]);
  const { text, frame } = await textIn(gateway, image);
  await recordLook(context, 'image.tags', image);
  return {
    data: {
      changes,
      // The pixels may contradict the file, but cannot show that there is no text.
      burnedIn: text.length > 0 && burnedIn !== 'yes' ? 'likely' : burnedIn,
      preview: image.preview === 'ready' && !hidden.has(String(image._id)),
      text,
      frame,
    },
  };
}

/** Returns the places of printed text that a worker found in the picture; none before it has looked. */
async function textIn(gateway: Gateway, image: ImageDoc): Promise<Pick<DataOf<Changes>, 'text' | 'frame'>> {
  const doc = await drawings.read(gateway, image._id);
  const made = doc && unlessDamaged(gateway.log, () => drawings.open(gateway, image, doc));
  const { text = [], facts } = made?.drawing ?? {};
  const { columns, rows } = facts ?? {};
  return { text, frame: columns && rows ? { columns, rows } : null };
}
