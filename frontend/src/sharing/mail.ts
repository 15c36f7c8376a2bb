import { limits } from '@lightbox/contract/limits.js';

const code = new RegExp(`(?<!\\w)\\d{${limits.codeDigits}}(?!\\w)`);

/** Finds the sharing id and the code in pasted text: in one of them alone, or in the whole mail. */
export function fromMail(text: string): { id?: string; code?: string } {
  const id = /(?<!\w)[0-9a-f]{24}(?!\w)/i.exec(text)?.[0]?.toLowerCase();
  const digits = (/Code:\s*(\d+)/i.exec(text)?.[1] ?? text).match(code)?.[0];
  return { ...(id && { id }), ...(digits && { code: digits }) };
}
