import { limits } from '../limits.js';
import { isStorable, lengthOf, notStorable, tooLong } from '../written.js';

export const nothingWritten = 'Write something first.';
export const tooManyImages = `Attach at most ${limits.messageImages} images.`;

/** The parts of a message of which it has at least one. */
interface Content {
  content: string;
  images?: readonly string[] | null | undefined;
  view?: unknown;
}

/** Also asked about a message whose fields are not valid. */
export const isMessage = ({ content, images, view }: Content): boolean =>
  content !== '' || (images?.length ?? 0) > 0 || view !== undefined;

/** Returns the sentence with which the gateway would refuse the message; undefined for a good one. */
export function messageFault(message: Content): string | undefined {
  const { content, images } = message;
  if (lengthOf(content) > limits.messageLength) return tooLong(limits.messageLength);
  if (!isStorable(content)) return notStorable;
  if ((images?.length ?? 0) > limits.messageImages) return tooManyImages;
  return isMessage(message) ? undefined : nothingWritten;
}
