import { createHash } from 'node:crypto';

export interface Mail {
  id: string;
  at: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid GrayText; padding: 0.5rem; text-align: start; overflow-wrap: anywhere; }
pre { border: 1px solid GrayText; font: inherit; padding: 1rem; overflow-wrap: anywhere; white-space: pre-wrap; }
`;

/** Allows no script and no resource: a mail is shown as text. */
export const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const asText = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '');

const page = (title: string, head: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${asText(title)}</title>${head}<style>${style}</style></head><body><main>${body}</main></body></html>`;

const REFRESH_SECONDS = 5;

export function listPage(mails: Mail[]): string {
  const row = ({ id, at, to, subject }: Mail) =>
    `<tr><td>${asText(to.join(', '))}</td><td><a href="mails/${id}">${asText(subject)}</a></td><td>${asText(at)}</td></tr>`;
  const table = `<table><thead><tr><th scope="col">To</th><th scope="col">Subject</th><th scope="col">Time</th></tr></thead><tbody>${mails.map(row).join('')}</tbody></table>`;
  const refresh = `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`;
  return page('Inbox', refresh, `<h1>Inbox</h1>${mails.length > 0 ? table : '<p>No mail yet.</p>'}`);
}

export function mailPage({ at, from, to, subject, text }: Mail): string {
  const facts = `<p>From ${asText(from)} to ${asText(to.join(', '))}, ${asText(at)}</p>`;
  const back = '<p><a href="../">All mails</a></p>';
  return page(subject, '', `${back}<h1>${asText(subject)}</h1>${facts}<pre dir="auto">${withLinks(text)}</pre>`);
}

const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, i) => (i % 2 === 0 ? asText(part) : `<a href="${asText(part)}" rel="noreferrer">${asText(part)}</a>`))
    .join('');
