import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { ApiError, send } from '../lib/http';

export const isPending = (error: unknown) => error instanceof ApiError && error.code === 'PREVIEW_PENDING';

/** The times for which something is asked that a worker makes. */
export const TRIES = 20;

export type CopyWish = Parameters<typeof send<typeof imageCalls.blackOut>>[1]['body'];

/** Asks once for the copy of an image. */
export const askForCopy = async (id: string, body: CopyWish, idempotencyKey: string): Promise<Image> =>
  (await send(imageCalls.blackOut, { params: { id }, body }, { idempotencyKey })).data;

/** Asks for the copy of an image until a worker has made it, with one key: one wish makes one copy. */
export async function copyImage(id: string, body: CopyWish, idempotencyKey: string): Promise<Image> {
  for (let tries = 1; ; tries++) {
    try {
      return await askForCopy(id, body, idempotencyKey);
    } catch (error) {
      if (!isPending(error) || tries >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, ((error as ApiError).retryAfter ?? 2) * 1_000));
    }
  }
}
