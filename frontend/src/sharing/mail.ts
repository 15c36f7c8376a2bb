import { limits } from '@lightbox/contract/limits.js';

const code = new RegExp(`(?<!\\w)\\d{${limits.codeDigits}}(?!\\w)`);

/** What somebody pasted: the id alone, the code alone, or the whole mail with both. */
export function fromMail(text: string): { id?: string; code?: string } {
  const id = /(?<!\w)[0-9a-f]{24}(?!\w)/i.exec(text)?.[0]?.toLowerCase();
  const digits = (/Code:\s*(\d+)/i.exec(text)?.[1] ?? text).match(code)?.[0];
  return { ...(id && { id }), ...(digits && { code: digits }) };
}
