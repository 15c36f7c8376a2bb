import { limits } from '@lightbox/contract/limits.js';
import { codeIn } from '../lib/codeIn';

const isWhole = (code: string) => code.length === limits.codeDigits;
const anId = /(?<!\w)[0-9a-f]{24}(?!\w)/gi;

/**
 * Finds the sharing id and the code in pasted text: in one of them alone, or in the whole mail. A mail about several
 * shares has the code of each after its id: with a known id its own code is taken.
 */
export function fromMail(text: string, known = ''): { id?: string; code?: string } {
  const ids = [...text.matchAll(anId)];
  const id = ids.find(([one]) => one.toLowerCase() === known) ?? ids[0];
  const after = id ? text.slice(id.index) : '';
  const code = [after, text].map((part) => codeIn(part.replace(anId, ' '))).find(isWhole);
  return { ...(id && { id: id[0].toLowerCase() }), ...(code && { code }) };
}
