import { limits } from '@lightbox/contract/limits.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { isDuplicate } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import { renderingContext, renderingId } from '@lightbox/core/images/renderings.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { RenderingDoc } from '@lightbox/core/models/rendering.js';
import type { Request } from 'express';
import type { Gateway, Reader } from '../context.js';
import { pending, until } from './drawings.js';

type Choice = Pick<RenderingDoc, 'frame' | 'window' | 'format'>;

/**
 * Returns a frame or page as a worker draws it, and waits for it. Calls for the same picture share one job; its result
 * is kept for some minutes.
 */
export async function renderedFrame(
  gateway: Gateway,
  { viewer, req }: { viewer: Reader; req: Request },
  image: ImageDoc,
  choice: Choice,
): Promise<Buffer> {
  const { models, queues, throttle } = gateway;
  const asked = { image: image._id, ...choice };
  const _id = renderingId(gateway.keys.images, asked);
  const find = async () => {
    const found = await models.Rendering.findById(_id).readConcern(NEWEST).lean<RenderingDoc>();
    return found?.sealed || found?.failed ? found : null;
  };
  let done = await find();
  if (!done) {
    await throttle.take('rendering', { caller: viewer.id });
    await models.Rendering.create([{ _id, ...asked, createAt: gateway.clock.now() }]).catch((error) => {
      if (!isDuplicate(error)) throw error;
    });
    await queues.add([{ name: 'renderFrame', data: { renderingId: String(_id) }, once: `frame-${_id}` }]);
    done = await until(gateway, req, limits.renderingSeconds, find);
  }
  if (!done) throw pending();
  if (!done.sealed) throw new AppError('NO_FRAME', { message: 'This frame cannot be drawn.' });
  const key = unwrapDataKey(gateway.keys.images, String(image._id), image.dataKey);
  return open(key, renderingContext(done), bufferOf(done.sealed));
}
