import { probabilityText } from '@lightbox/contract/analysis/probability.js';
import { type EditableField, editableFields, type Findings } from '@lightbox/contract/analysis/schemas.js';
import type { Terms } from '@lightbox/contract/analysis/terms.js';
import type { LanguageCode } from '@lightbox/contract/languages.js';
import PDFDocument from 'pdfkit';
import type { ReportMark } from './marks.js';
import { directionOf, isolated, isolates, type Style, Typesetter } from './typeset.js';
import { type ReportWords, reportWords } from './words.js';

/** Everything that a report shows. Plain data, because a thread gets it. */
export interface ReportFacts {
  language: LanguageCode;
  timeZone?: string | undefined;
  clinic: string;
  mark?: 'draft' | 'withdrawn' | undefined;
  image: {
    caption: string;
    patient?: string | undefined;
    createAt: Date;
    modality?: string | undefined;
    studyDate?: string | undefined;
    /** A JPEG, as a renderer made it. */
    preview: { bytes: Uint8Array; width: number; height: number } | null;
  };
  findings: Pick<
    Findings,
    EditableField | 'measurements' | 'assessed' | 'provider' | 'model' | 'modelVersion' | 'confidence'
  >;
  run: { by: string; at: Date; inputSha256: string };
  version: number;
  /** The marks that the signer shares. */
  marks?: readonly ReportMark[];
  signature?: { by: string; at: Date; comment?: string | undefined; edited: EditableField[]; notADiagnosis: boolean };
}

const page = { width: 595.28, height: 841.89, margin: 50, footer: 40 };
const column = page.width - 2 * page.margin;
const styles = {
  title: { size: 18, bold: true },
  heading: { size: 11.5, bold: true },
  body: { size: 10 },
  small: { size: 8.5, colour: '#4d5560' },
  strong: { size: 10, bold: true },
} as const satisfies Record<string, Style>;
const previewSide = 170;
const nothingIn = {
  description: 'noDescription',
  differentialDiagnosis: 'noDifferential',
  treatment: 'noTreatment',
  followUp: 'noFollowUp',
  warnings: 'noWarnings',
} as const satisfies Record<EditableField, keyof Terms>;

/** Returns the report as a PDF document of A4 pages. */
export async function reportDocument(facts: ReportFacts): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    lang: facts.language,
    info: { Title: reportWords[facts.language].terms.secondOpinion, Producer: 'Lightbox', Creator: 'Lightbox' },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => doc.on('end', resolve).on('error', reject));
  new Report(doc, facts).write();
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

class Report {
  private readonly words: ReportWords;
  private readonly type: Typesetter;
  private y = page.margin;

  constructor(
    private readonly doc: PDFKit.PDFDocument,
    private readonly facts: ReportFacts,
  ) {
    this.words = reportWords[facts.language];
    this.type = new Typesetter(doc);
  }

  write(): void {
    const { words, facts } = this;
    const { signature, mark, findings } = facts;
    this.paragraph(clean(facts.clinic) || 'Lightbox', styles.small);
    this.paragraph(words.terms.secondOpinion, styles.title);
    this.about();
    if (mark === 'draft') this.paragraph(words.notSigned, styles.strong);
    if (mark === 'withdrawn') this.paragraph(words.withdrawn, styles.strong);
    if (signature?.notADiagnosis !== false) this.paragraph(words.terms.notADiagnosis, styles.strong);
    if (signature?.comment) this.section(words.comment, signature.comment.split('\n').map(clean));
    for (const field of editableFields.toSorted((a, b) => Number(b === 'warnings') - Number(a === 'warnings'))) {
      const changed = signature?.edited.includes(field) ? ` (${words.edited})` : '';
      this.section(words.terms[field] + changed, this.entries(field), this.nothing(field));
    }
    if (findings.measurements?.length) {
      this.section(
        words.measurements,
        findings.measurements.map((entry) => `• ${clean(entry)}`),
      );
    }
    if (facts.marks?.length) this.section(words.marks, facts.marks.map(this.markLine));
    // Below the text that was signed: alone on a last page it would be a signature to nothing.
    if (signature) this.signatureLine(signature);
    this.provenance(findings);
    this.everyPage();
  }

  private entries(field: EditableField): string[] {
    const { findings } = this.facts;
    if (field === 'description') return findings.description.split('\n').map(clean);
    if (field !== 'differentialDiagnosis') return findings[field].map((entry) => `• ${clean(entry)}`);
    return findings.differentialDiagnosis.map(
      ({ condition, confidence }) =>
        `• ${isolated(clean(condition))}: ${isolated(probabilityText(confidence, this.words.locale))}`,
    );
  }

  /** Returns the sentence of a field without a text: as on the screen, it says so if no model has assessed the image. */
  private nothing(field: EditableField): string {
    const { terms } = this.words;
    if (field === 'description' || field === 'warnings' || this.facts.findings.assessed) return terms[nothingIn[field]];
    return terms.notAssessed;
  }

  /** The preview at the outer edge, the facts of the image beside it. */
  private about(): void {
    const { words, facts } = this;
    const { image } = facts;
    const top = this.y + 6;
    const rows: [string, string | undefined][] = [
      [words.image, image.caption],
      [words.patient, image.patient],
      [words.modality, image.modality],
      [words.studyDate, image.studyDate],
      [words.uploaded, this.time(image.createAt)],
    ];
    this.y = top;
    this.rows(rows, image.preview ? column - previewSide - 20 : column);
    if (image.preview) {
      const { bytes, width, height } = image.preview;
      const scale = previewSide / Math.max(width, height);
      const side = words.dir === 'rtl' ? page.margin : page.margin + column - width * scale;
      try {
        this.doc.image(Buffer.from(bytes), side, top, { width: width * scale });
      } catch {
        // A foreign file may have taken the renderer over, so these may be no JPEG. The report is made without them.
      }
      this.drawMarks(side, top, width * scale, height * scale);
      this.y = Math.max(this.y, top + height * scale + 10);
    }
    this.y += 6;
  }

  /** Draws the signer's marks over the preview, with their numbers in the list. */
  private drawMarks(left: number, top: number, width: number, height: number): void {
    const { doc } = this;
    doc.save().rect(left, top, width, height).clip().lineWidth(0.8).strokeColor('#ffc566');
    this.facts.marks?.forEach(({ kind, onPreview }, i) => {
      const [first, ...rest] = (onPreview ?? []).map(([x, y]) => [left + x * width, top + y * height] as const);
      if (!first) return;
      if (kind === 'ellipse' && rest.length === 3) this.ellipse([first, ...rest]);
      else if (kind === 'probe') doc.circle(...first, 2).stroke();
      else {
        doc.moveTo(...first);
        for (const point of rest) doc.lineTo(...point);
        doc.stroke();
        if (kind === 'arrow') doc.circle(...first, 1.6).fill('#ffc566');
      }
      const box = { x: first[0] + 3, y: first[1] - 9, width: 30 };
      this.type.draw(String(i + 1), box, 'ltr', { size: 7, bold: true, colour: '#ffc566' });
    });
    doc.restore();
  }

  /** Draws an ellipse from the ends of its two axes. */
  private ellipse([a, b, c, d]: readonly (readonly [number, number])[]): void {
    if (!a || !b || !c || !d) return;
    const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] as [number, number];
    const half = (from: typeof a, to: typeof a) => Math.hypot(to[0] - from[0], to[1] - from[1]) / 2;
    const turn = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
    this.doc
      .save()
      .rotate(turn, { origin: middle })
      .ellipse(...middle, half(a, b), half(c, d))
      .stroke()
      .restore();
  }

  private readonly markLine = ({ kind, frame, value, pixels, text }: ReportMark, i: number): string => {
    const { words } = this;
    const { mean, deviation } = pixels ?? {};
    const measured = [
      value && isolated(value),
      mean && (deviation ? `${words.mean} ${isolated(mean)}` : isolated(mean)),
      deviation && `${words.deviation} ${isolated(deviation)}`,
    ];
    const said = [...measured, text && isolated(clean(text))].filter(Boolean).join(', ');
    const where = frame === undefined ? '' : ` (${words.frame(frame)})`;
    return `${i + 1}. ${words.kinds[kind]}${where}${said ? `: ${said}` : ''}`;
  };

  private rows(rows: [string, string | undefined][], width: number): void {
    const rtl = this.words.dir === 'rtl';
    const label = 110;
    const left = rtl ? page.margin + column - width : page.margin;
    for (const [name, value] of rows) {
      if (!value) continue;
      const lines = this.type.lines(clean(value), width - label, styles.body);
      const height = Math.max(this.type.heightOf(name, styles.body), this.type.heightOf(lines[0] ?? '', styles.body));
      this.room(height);
      const at = { y: this.y, width: label };
      this.type.draw(name, { ...at, x: rtl ? left + width - label : left }, this.words.dir, {
        ...styles.body,
        colour: '#4d5560',
      });
      for (const line of lines) {
        const x = rtl ? left : left + label;
        const step = Math.max(this.type.heightOf(line, styles.body), line === lines[0] ? height : 0);
        this.room(step);
        this.type.draw(line, { x, y: this.y, width: width - label }, this.words.dir, styles.body);
        this.y += step;
      }
    }
  }

  private section(title: string, entries: readonly string[], nothing = ''): void {
    this.y += 8;
    this.room(50);
    this.paragraph(title, styles.heading);
    const shown = entries.filter(Boolean);
    for (const entry of shown.length > 0 ? shown : [nothing]) this.paragraph(entry, styles.body);
  }

  private provenance({ provider, model, modelVersion, confidence }: ReportFacts['findings']): void {
    const { words, facts } = this;
    this.y += 8;
    this.room(110);
    this.paragraph(words.terms.provenance, styles.heading);
    this.rows(
      [
        [words.terms.confidence, confidence === null ? undefined : probabilityText(confidence, words.locale)],
        [words.terms.provider, provider],
        [words.terms.model, model],
        [words.terms.modelVersion, modelVersion],
        [words.terms.input, facts.run.inputSha256],
        [words.terms.generatedAt, this.time(facts.run.at)],
        [words.terms.requestedBy, facts.run.by],
        [words.version, String(facts.version)],
      ],
      column,
    );
  }

  private signatureLine({ by, at }: NonNullable<ReportFacts['signature']>): void {
    this.y += 24;
    this.room(60);
    const width = 260;
    const x = this.words.dir === 'rtl' ? page.margin + column - width : page.margin;
    this.doc
      .moveTo(x, this.y)
      .lineTo(x + width, this.y)
      .lineWidth(0.7)
      .stroke('#1b1f24');
    this.y += 4;
    this.paragraph(`${this.words.signedBy}: ${isolated(clean(by))}`, styles.strong);
    this.paragraph(this.time(at), styles.body);
  }

  private paragraph(text: string, style: Style): void {
    const direction = directionOf(text, this.words.dir);
    for (const line of this.type.lines(text, column, style)) {
      const height = this.type.heightOf(line, style);
      this.room(height);
      this.type.draw(line, { x: page.margin, y: this.y, width: column }, direction, style);
      this.y += height;
    }
    this.y += 2;
  }

  /** Begins a page unless this height is left. */
  private room(height: number): void {
    if (this.y + height <= page.height - page.margin - page.footer) return;
    this.doc.addPage();
    this.y = page.margin;
  }

  private everyPage(): void {
    const { start, count } = this.doc.bufferedPageRange();
    for (let number = 0; number < count; number++) {
      this.doc.switchToPage(start + number);
      if (this.facts.mark) this.across(this.words.mark[this.facts.mark]);
      const line = this.words.page(number + 1, count);
      const y = page.height - page.margin - 10;
      this.type.draw(line, { x: page.margin, y, width: column }, this.words.dir, styles.small);
    }
  }

  private across(word: string): void {
    const style = { size: 72, bold: true, colour: '#b3261e' };
    const width = this.type.widthOf(word, style);
    const size = Math.min(style.size, (style.size * 640) / width);
    const centre: [number, number] = [page.width / 2, page.height / 2];
    this.doc.save().rotate(-55, { origin: centre }).fillOpacity(0.16);
    const box = { x: centre[0] - (width * size) / style.size / 2, y: centre[1] - size, width };
    this.type.draw(word, box, 'ltr', { ...style, size });
    this.doc.fillOpacity(1).restore();
  }

  private time(at: Date): string {
    const { locale } = this.words;
    const zone = this.facts.timeZone ? { timeZone: this.facts.timeZone } : {};
    const of = (style: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...style, ...zone, hourCycle: 'h23' }).format(at);
    // Between words from right to left, hours and the name of the zone would change places.
    return `${of({ dateStyle: 'long' })}, ${isolated(of({ timeStyle: 'long' }))}`;
  }
}

/**
 * Removes signs that take no place on paper, or that turn the text around them. Isolates stay where each of them is
 * closed, because they turn nothing outside.
 */
function clean(text: string): string {
  const flat = text.replace(/[\p{Cc}\u200E\u200F\u202A-\u202E]/gu, ' ').trim();
  const open = flat.replace(/[\u2066-\u2068][^\u2066-\u2069]*\u2069/g, '');
  return isolates.test(open) ? flat.replace(/[\u2066-\u2069]/g, ' ') : flat;
}
