import { type ObjectId, oid } from '../db/ids.js';
import type { KeyRing } from '../keys/keyring.js';
import { hmac } from '../keys/keyring.js';
import type { RenderingDoc } from '../models/rendering.js';

type Choice = Pick<RenderingDoc, 'image' | 'frame' | 'window' | 'format'>;

/** Returns the id of a drawn frame: the same for the same frame, window and format, so that viewers share one job. */
export const renderingId = (ring: KeyRing, { image, frame, window, format }: Choice): ObjectId =>
  oid(
    hmac(
      ring.current.key,
      'rendering',
      String(image),
      JSON.stringify([frame, window?.center, window?.width, window?.voiFunction, format]),
    )
      .toString('hex')
      .slice(0, 24),
  );

/** Binds a sealed drawn frame to its image and its record. The data key of the image seals it. */
export const renderingContext = ({ image, _id }: Pick<RenderingDoc, 'image' | '_id'>): string =>
  `${image}:rendering:${_id}`;
