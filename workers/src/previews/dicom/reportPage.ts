import type { Lead, Report } from '@lightbox/contract/images/drawing.js';

/** A page of A4 in points, with its margin. */
const [WIDTH, HEIGHT, MARGIN] = [595, 842, 40];
const [SIZE, TITLE_SIZE, LEADING, INDENT] = [11, 18, 16, 14];
/** Characters of a line of this size. */
const CHARACTERS = 88;
const LEADS = 12;
/** Share of characters that the fonts of every PDF reader lack, above which a page would not be readable. */
const UNREADABLE = 0.2;

/** Writes the start of a report as a PDF of one page, for its preview; null when the fonts lack its characters. */
export function reportPage({ title, lines, waveforms = [] }: Report): Buffer | null {
  const rows = lines.map(({ depth, label, text }) => ({ depth, text: [label, text].filter(Boolean).join(': ') }));
  const all = [title ?? '', ...rows.slice(0, 60).map(({ text }) => text)].join('');
  const foreign = [...all].filter((character) => (character.codePointAt(0) ?? 0) > 0xff).length;
  if (foreign > all.length * UNREADABLE) return null;
  let y = HEIGHT - MARGIN - TITLE_SIZE;
  const drawn: string[] = [];
  if (title) drawn.push(text(MARGIN, y, TITLE_SIZE, title.slice(0, CHARACTERS / 2)));
  y -= LEADING * 2;
  const shown = waveforms.slice(0, LEADS);
  const step = Math.min(120, (y - MARGIN) / Math.max(1, shown.length));
  for (const lead of shown) {
    y -= step;
    drawn.push(text(MARGIN, y + step * 0.75, SIZE, lead.name), curve(lead, y, step * 0.7));
  }
  for (const { depth, text: row } of shown.length > 0 ? [] : rows) {
    const indent = Math.min(depth, 8) * INDENT;
    for (const part of wrapped(row, CHARACTERS - Math.round(indent / 5))) {
      if (y < MARGIN) break;
      drawn.push(text(MARGIN + indent, y, SIZE, part));
      y -= LEADING;
    }
  }
  return pdf(drawn.join('\n'));
}

function wrapped(row: string, most: number): string[] {
  const parts: string[] = [''];
  for (const word of row.split(/\s+/)) {
    const current = parts.at(-1) as string;
    if (current.length + word.length < most) parts[parts.length - 1] = current === '' ? word : `${current} ${word}`;
    else parts.push(word.slice(0, most));
  }
  return parts;
}

function text(x: number, y: number, size: number, value: string): string {
  const escaped = value.replace(/\p{Cc}/gu, ' ').replace(/[()\\]/g, '\\$&');
  return `BT /F ${size} Tf ${x} ${y.toFixed(1)} Td (${escaped}) Tj ET`;
}

/** Draws a lead as strokes from its lowest to its highest value of each step. */
function curve({ low, high }: Lead, bottom: number, height: number): string {
  const min = low.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const max = high.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const at = (value: number) => (bottom + ((value - min) / (max - min || 1)) * height).toFixed(1);
  const points = low.map((value, i) => {
    const x = (MARGIN + (i / low.length) * (WIDTH - 2 * MARGIN)).toFixed(1);
    return `${x} ${at(value)} ${i === 0 ? 'm' : 'l'} ${x} ${at(high[i] ?? value)} l`;
  });
  return `0.7 w ${points.join(' ')} S`;
}

function pdf(content: string): Buffer {
  // Characters beyond Latin 1 have no glyph in the standard fonts.
  const stream = content.replace(/[^\n\x20-\xff]/gu, '?');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ].map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`);
  return Buffer.from(`%PDF-1.4\n${objects.join('')}trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n`, 'latin1');
}
