import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { ApiError, send } from '../lib/http';

export const isPending = (error: unknown) => error instanceof ApiError && error.code === 'PREVIEW_PENDING';

/** The times for which something is asked that a worker makes. */
export const TRIES = 20;

type Wish = Parameters<typeof send<typeof imageCalls.blackOut>>[1]['body'];

/** Asks for the copy of an image until a worker has made it, with one key: one wish makes one copy. */
export async function copyImage(id: string, body: Wish, idempotencyKey: string): Promise<Image> {
  for (let tries = 1; ; tries++) {
    try {
      return (await send(imageCalls.blackOut, { params: { id }, body }, { idempotencyKey })).data;
    } catch (error) {
      if (!isPending(error) || tries >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, ((error as ApiError).retryAfter ?? 2) * 1_000));
    }
  }
}
