import { shareMark } from '@lightbox/contract/sharing/mark.js';
import { type Frame, inWords, type MailText, type Part, type ShareFacts } from './mailText.js';

/** The text about the end of a share, in words. */
const endOf = ({ endsAt, codeEndsAt }: ShareFacts, { words: { ends, noEnd, locale }, timeZone }: Frame): string =>
  endsAt ? ends(inWords(endsAt, locale, timeZone)) : noEnd(inWords(codeEndsAt, locale, timeZone));

/**
 * The plain text. `Code: …`, `Sharing id: …` and `Link: …` are each alone on their line, and in English in every
 * language: programs read them.
 */
export function asText({ parts }: MailText, frame: Frame): string {
  const { words, clinic, choices } = frame;
  const textOf = (part: Part): string => {
    if (typeof part === 'string') return part;
    if ('code' in part) return `Code: ${part.code}`;
    if ('link' in part) return `Link: ${part.link}`;
    const { id, code } = part.share;
    const lines = [words.share(shareMark(id)), endOf(part.share, frame), `Sharing id: ${id}`, `Code: ${code}`];
    return lines.join('\n');
  };
  const choose = choices && `${words.choose}: ${choices}`;
  const footer = [clinic.name, clinic.phone && words.phone(clinic.phone), clinic.url, words.sentBy, choose];
  return `${[...parts.map(textOf), footer.filter(Boolean).join('\n')].join('\n\n')}\n`;
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] ?? c);

/** Mail programs keep few styles: colours are inline, and `dark` applies where a program reads the style sheet. */
const styles = {
  page: 'margin:0;background:#eef2f6',
  frame: 'max-width:560px;margin:0 auto;padding:24px 16px;font-size:16px;line-height:1.6;color:#10202e',
  sender: 'margin:0 0 12px;font-weight:700;color:#33475b',
  card: 'background:#ffffff;border-radius:14px;padding:24px',
  title: 'margin:0 0 12px;font-size:21px;line-height:1.4',
  code: 'font-family:ui-monospace,Menlo,Consolas,monospace;font-size:28px;font-weight:700;letter-spacing:.14em',
  id: 'font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;word-break:break-all',
  quiet: 'margin:4px 0;font-size:14px;color:#4a5d6e',
  share: 'border:1px solid #c9d4de;border-radius:12px;padding:14px 18px;margin:16px 0',
  mark: 'margin:0;font-size:17px',
  button:
    'display:inline-block;background:#0b5c9e;color:#ffffff;font-weight:700;text-decoration:none;border-radius:10px;padding:12px 22px',
  footer: 'padding:16px 24px 0;font-size:14px;color:#4a5d6e',
} as const;
const dark =
  '@media (prefers-color-scheme:dark){.page{background:#0d1a25!important}.frame,.card,.sender{color:#e6edf3!important}.card{background:#16242f!important}.quiet,.footer,.footer a{color:#a9bac8!important}.share{border-color:#3a4d5d!important}}';
const fonts = {
  ltr: 'system-ui,-apple-system,Segoe UI,Roboto,sans-serif',
  rtl: "'Noto Nastaliq Urdu','Jameel Noori Nastaleeq','Noto Naskh Arabic',Tahoma,sans-serif",
};

const tag = (name: string, style: keyof typeof styles, inner: string, rest = '') =>
  `<${name} class="${style}" style="${styles[style]}"${rest}>${inner}</${name}>`;
const digits = (text: string, style: 'code' | 'id') => tag('span', style, escapeHtml(text), ' dir="ltr"');

/** The same mail for people: with the language and the direction of its text, a heading and one button. */
export function asHtml({ subject, parts }: MailText, frame: Frame, language: string): string {
  const { words, clinic, choices } = frame;
  const codeOf = (code: string) => `<p style="margin:8px 0">${words.code}:<br>${digits(code, 'code')}</p>`;
  const htmlOf = (part: Part): string => {
    if (typeof part === 'string') return `<p style="margin:12px 0">${escapeHtml(part)}</p>`;
    if ('code' in part) return codeOf(part.code);
    if ('link' in part) {
      const link = escapeHtml(part.link);
      const button = `<a class="button" href="${link}" style="${styles.button}">${escapeHtml(part.act)}</a>`;
      return `<p style="margin:20px 0 8px">${button}</p>${tag('p', 'quiet', `<span dir="ltr" style="word-break:break-all">${link}</span>`)}`;
    }
    const { id, code } = part.share;
    return tag(
      'div',
      'share',
      [
        tag('h2', 'mark', escapeHtml(words.share(shareMark(id)))),
        tag('p', 'quiet', escapeHtml(endOf(part.share, frame))),
        tag('p', 'quiet', `${words.sharingId}: ${digits(id, 'id')}`),
        codeOf(code),
      ].join(''),
    );
  };
  const url = escapeHtml(clinic.url);
  const footer = [
    clinic.name && `<strong>${escapeHtml(clinic.name)}</strong>`,
    clinic.phone && escapeHtml(words.phone(clinic.phone)),
    url && `<a href="${url}" dir="ltr" style="color:inherit">${url}</a>`,
    escapeHtml(words.sentBy),
    choices && `<a href="${escapeHtml(choices)}" style="color:inherit">${escapeHtml(words.choose)}</a>`,
  ];
  const body = [
    tag('p', 'sender', escapeHtml(clinic.name || 'Lightbox')),
    tag('div', 'card', `${tag('h1', 'title', escapeHtml(subject))}${parts.map(htmlOf).join('')}`),
    tag('div', 'footer', footer.filter(Boolean).join('<br>')),
  ].join('');
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title><style>${dark}</style>`;
  const sheet = `<div class="frame" role="article" lang="${language}" dir="${words.dir}" style="font-family:${fonts[words.dir]};${styles.frame}">${body}</div>`;
  return `<!doctype html><html lang="${language}" dir="${words.dir}"><head>${head}</head>${tag('body', 'page', sheet)}</html>`;
}
