import { LinkifyIt } from 'linkify-it';

/** A part of a message: text, or a link whose address is written there and nowhere else. */
export interface Part {
  text: string;
  href?: string;
  /** The path of a link to this product, which opens inside it. */
  inside?: string;
  /** The host in ASCII, when its letters are of several scripts and may imitate another host. */
  host?: string;
}

/** Finds http and https addresses. A host without its scheme stays text. */
const linkify = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false });
for (const scheme of ['ftp:', '//', 'mailto:']) linkify.add(scheme, null);

/** LEFT-TO-RIGHT OVERRIDE and RIGHT-TO-LEFT OVERRIDE: they show letters in another order than they are written. */
const overrides = /[\u202D\u202E]/g;
/** Characters that are invisible, or that change the direction of the text after them. No honest address has one. */
const unseen = /[\p{Cc}\p{Cf}]/u;

/** An e-mail address alone: parameters after it would fill in a mail. The library knows only some top-level domains. */
const email = /(?<![\p{L}\p{N}/.,:%+_@#=-])[\w+-][\w.+-]{0,63}@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,24}(?![\p{L}\p{N}@?-])/gu;
/** A telephone number in international or national form: it begins with `+` or `0` and has 8 to 15 digits. */
const phone = /(?<![\p{L}\p{N}/.,:+_@#=-])[+0]\d(?:[ ().\u2011-]{0,2}\d){6,13}(?![\p{L}\p{N}/:_@-]|[.,]\d)/gu;

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Armenian', 'Hebrew', 'Han', 'Hiragana', 'Katakana', 'Hangul'];
const scriptTests = scripts.map((script) => new RegExp(`\\p{Script=${script}}`, 'u'));
const hasSeveralScripts = (text: string): boolean =>
  scriptTests.filter((script) => script.test(text)).length > 1 ||
  // A letter of any other script beside one of these.
  (scriptTests.some((script) => script.test(text)) &&
    [...text].some((letter) => /\p{L}/u.test(letter) && !scriptTests.some((script) => script.test(letter))));

/** Returns the link of an address on the web; undefined for one that hides where it leads. */
function webLink(text: string): Part | undefined {
  const url = !unseen.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  // A name before the host looks like a host itself: https://clinic.example@evil.example
  if (url.username || url.password || text.includes('\\')) return undefined;
  const { origin, pathname, search, hash } = url;
  // A path that begins with two slashes would name another host.
  if (origin === window.location.origin && !pathname.startsWith('//'))
    return { text, href: url.href, inside: `${pathname}${search}${hash}` };
  const written = /^https?:\/\/([^/?#]*)/iu.exec(text)?.[1] ?? '';
  return { text, href: url.href, ...(hasSeveralScripts(written) ? { host: url.hostname } : {}) };
}

/** Splits a text without addresses on the web into texts, e-mail addresses and telephone numbers. */
function plainParts(text: string): Part[] {
  const found = [
    ...[...text.matchAll(email)].map(({ index, 0: at }) => ({ index, text: at, href: `mailto:${at}` })),
    ...[...text.matchAll(phone)].map(({ index, 0: at }) => ({
      index,
      text: at,
      href: `tel:${at.replace(/[^\d+]/g, '')}`,
    })),
  ].sort((a, b) => a.index - b.index);
  const parts: Part[] = [];
  let end = 0;
  for (const { index, ...link } of found) {
    if (index < end) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push(link);
    end = index + link.text.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** Splits a message into texts and links. Together the parts are the message as it was written, without overrides. */
export function partsOf(message: string): Part[] {
  const text = message.replace(overrides, '');
  const parts: Part[] = [];
  let end = 0;
  for (const match of linkify.match(text) ?? []) {
    const link = webLink(match.text);
    if (!link) continue;
    parts.push(...plainParts(text.slice(end, match.index)), link);
    end = match.lastIndex;
  }
  return [...parts, ...plainParts(text.slice(end))];
}
