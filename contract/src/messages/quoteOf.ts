import type { Quote } from './quote.js';

/** The parts of a message that its quote is made of. */
interface Quoted {
  id: string;
  senderId: string;
  content: string;
  images?: number | undefined;
  voice?: unknown;
  view?: unknown;
}

/** Characters of a quoted text: more than one line of it is never shown. */
const quoteLength = 160;

export const quoteOf = ({ id, senderId, content, images, voice, view }: Quoted): Quote => ({
  id,
  senderId,
  content: [...content.slice(0, 2 * quoteLength)].slice(0, quoteLength).join(''),
  ...(images ? { images } : {}),
  ...(voice ? { voice: true as const } : {}),
  ...(view ? { pinned: true as const } : {}),
});
