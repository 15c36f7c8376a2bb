import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import bidiFactory from 'bidi-js';
import { create, type Font } from 'fontkit';
import { unpackFont } from './unpackFont.js';

/** The types of the library are those of its ES module; Node loads its CommonJS module, which is the function itself. */
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const require = createRequire(import.meta.url);

/** The fonts, in the order in which one is looked for that has a character. The first one stands for all others. */
const files = {
  latin: '@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff',
  latinExt: '@fontsource/noto-sans/files/noto-sans-latin-ext-400-normal.woff',
  greek: '@fontsource/noto-sans/files/noto-sans-greek-400-normal.woff',
  cyrillic: '@fontsource/noto-sans/files/noto-sans-cyrillic-400-normal.woff',
  arabic: '@fontsource/noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal.woff',
} as const;
const boldFiles: Partial<Record<FontName, string>> = {
  latin: '@fontsource/noto-sans/files/noto-sans-latin-700-normal.woff',
  latinExt: '@fontsource/noto-sans/files/noto-sans-latin-ext-700-normal.woff',
  arabic: '@fontsource/noto-sans-arabic/files/noto-sans-arabic-arabic-700-normal.woff',
};
type FontName = keyof typeof files;
const names = Object.keys(files) as FontName[];

const load = (path: string): Buffer => unpackFont(readFileSync(require.resolve(path)));
const opened = new Map<FontName, Font>();

function fontOf(name: FontName): Font {
  const font = opened.get(name) ?? (create(load(files[name])) as Font);
  opened.set(name, font);
  return font;
}

/** Space, punctuation and digits of an Arabic word are those of its font, where it has them. */
const prefers = (rtl: boolean): readonly FontName[] => (rtl ? names.toReversed() : names);

function fontFor(char: string, rtl: boolean): FontName {
  const point = char.codePointAt(0) ?? 0;
  return prefers(rtl).find((name) => fontOf(name).hasGlyphForCodePoint(point)) ?? 'latin';
}

type Doc = PDFKit.PDFDocument;
export interface Style {
  size: number;
  bold?: boolean;
  colour?: string;
}
export type Direction = 'ltr' | 'rtl';

/** One piece of a line in one font and one direction. */
interface Run {
  text: string;
  font: string;
  width: number;
}

/** Without features the library shapes a run word by word, and puts the words of a right-to-left run in the wrong order. */
const whole = { features: [] as PDFKit.Mixins.OpenTypeFeatures[], lineBreak: false };

/** Arabic letters need more height. */
const heights = { ltr: 1.4, rtl: 1.85 };
export const isolates = /[\u2066-\u2069]/;
/** Text whose direction is its own, inside a line of another one. */
export const isolated = (text: string): string => `\u2068${text}\u2069`;
const arabicLetter = /\p{Script=Arabic}/u;
export const directionOf = (text: string, fallback: Direction): Direction => {
  const first = text.match(/\p{L}/u)?.[0];
  if (!first) return fallback;
  return arabicLetter.test(first) ? 'rtl' : 'ltr';
};

/**
 * Measures and draws text of any mix of Latin and Arabic letters. The library embeds fonts and joins letters; the
 * order of the runs on a line is that of the Unicode bidirectional algorithm (`bidi-js`).
 */
export class Typesetter {
  private readonly registered = new Set<string>();
  private readonly widths = new Map<string, number>();

  constructor(private readonly doc: Doc) {}

  /** Breaks a paragraph into lines that are no wider than this. */
  lines(paragraph: string, width: number, style: Style): string[] {
    const lines: string[] = [];
    const space = this.wordWidth(' ', style);
    let [line, taken] = ['', 0];
    for (const word of paragraph
      .split(/\s+/)
      .filter(Boolean)
      .flatMap((long) => this.parts(long, width, style))) {
      const wide = this.wordWidth(word, style);
      if (line !== '' && taken + space + wide > width) {
        lines.push(line);
        line = '';
      }
      taken = line === '' ? wide : taken + space + wide;
      line = line === '' ? word : `${line} ${word}`;
    }
    return line === '' ? lines : [...lines, line];
  }

  heightOf(line: string, { size }: Style): number {
    return size * heights[arabicLetter.test(line) ? 'rtl' : 'ltr'];
  }

  /** Draws one line. `x` is its left edge, `y` its top; a right-to-left line ends at the right edge. */
  draw(line: string, box: { x: number; y: number; width: number }, base: Direction, style: Style): void {
    const runs = this.runs(line, base, style);
    const total = runs.reduce((sum, { width }) => sum + width, 0);
    const baseline = box.y + this.heightOf(line, style) * (arabicLetter.test(line) ? 0.68 : 0.75);
    let x = base === 'rtl' ? box.x + box.width - total : box.x;
    this.doc.fillColor(style.colour ?? '#1b1f24');
    // One glyph serves several Arabic letters, so the document says which text a reader copies.
    const said = arabicLetter.test(line);
    if (said) this.doc.markContent('Span', { actual: line });
    for (const { text, font, width } of runs) {
      this.doc
        .font(font)
        .fontSize(style.size)
        .text(text, x, baseline, { ...whole, baseline: 'alphabetic' });
      x += width;
    }
    if (said) this.doc.endMarkedContent();
  }

  widthOf(text: string, style: Style): number {
    return this.runs(text, 'ltr', style).reduce((sum, { width }) => sum + width, 0);
  }

  /** Measuring is slow, and words repeat. */
  private wordWidth(word: string, style: Style): number {
    const key = `${style.size} ${style.bold} ${word}`;
    const width = this.widths.get(key) ?? this.widthOf(word, style);
    this.widths.set(key, width);
    return width;
  }

  /** A word that is wider than the line is cut into parts that fit. */
  private parts(word: string, width: number, style: Style): string[] {
    if (word.length < 20 || this.wordWidth(word, style) <= width) return [word];
    const half = Math.ceil(word.length / 2);
    return [...this.parts(word.slice(0, half), width, style), ...this.parts(word.slice(half), width, style)];
  }

  /** Returns the runs of a line from left to right. */
  private runs(line: string, base: Direction, style: Style): Run[] {
    const { levels } = bidi.getEmbeddingLevels(line, base);
    const segments: { text: string; level: number; font: FontName }[] = [];
    const mirrored = bidi.getMirroredCharactersMap(line, levels);
    for (let at = 0; at < line.length; ) {
      const char = String.fromCodePoint(line.codePointAt(at) ?? 0);
      const level = levels[at] ?? 0;
      const font = fontFor(char, level % 2 === 1);
      // Signs of direction have done their work in the levels.
      const shown = isolates.test(char) ? '' : (mirrored.get(at) ?? char);
      const last = segments.at(-1);
      if (last && last.level === level && last.font === font) last.text += shown;
      else segments.push({ text: shown, level, font });
      at += char.length;
    }
    return reordered(segments).map(({ text, font, level }) => {
      const name = this.use(font, style);
      // The library reverses letters of Arabic. Signs alone have no script, and are reversed here.
      const drawn = level % 2 === 1 && !arabicLetter.test(text) ? [...text].reverse().join('') : text;
      return { text: drawn, font: name, width: this.measure(drawn, name, style.size) };
    });
  }

  private measure(text: string, font: string, size: number): number {
    return this.doc.font(font).fontSize(size).widthOfString(text, whole);
  }

  private use(name: FontName, { bold }: Style): string {
    const file = (bold ? boldFiles[name] : undefined) ?? files[name];
    if (!this.registered.has(file)) this.doc.registerFont(file, load(file));
    this.registered.add(file);
    return file;
  }
}

/** Rule L2 of the algorithm: from the highest level to the lowest odd one, each sequence of that level is reversed. */
function reordered<S extends { level: number }>(segments: S[]): S[] {
  const ordered = [...segments];
  const highest = Math.max(0, ...segments.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < ordered.length; from++) {
      let to = from;
      while (to < ordered.length && (ordered[to] as S).level >= level) to++;
      if (to > from) {
        ordered.splice(from, to - from, ...ordered.slice(from, to).reverse());
        from = to;
      }
    }
  }
  return ordered;
}
