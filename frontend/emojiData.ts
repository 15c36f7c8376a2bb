import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

interface Source {
  emoji: string;
  label: string;
  tags?: string[];
  group?: number;
  version: number;
  skins?: { emoji: string; tone: number | number[] }[];
}
/** Labels and search words of one language, by emoji (Unicode CLDR). */
type Annotations = Record<string, { default?: string[]; tts?: string[] }>;

const require = createRequire(import.meta.url);
const address = /^virtual:emoji\/(en|ur)$/;

/** Later versions are missing in the fonts of many devices. */
const NEWEST = 15;
/** Parts of other emoji, and flags: Windows draws no flags of countries. */
const LEFT_OUT = [2, 9];

/** Returns rows of emoji, label, search words, group, version and skin tones, in the order in which pickers show them. */
function rowsOf(language: string) {
  const all: Source[] = require('emojibase-data/en/data.json');
  const words: Annotations =
    language === 'en'
      ? {}
      : require(`cldr-annotations-full/annotations/${language}/annotations.json`).annotations.annotations;
  return all.flatMap(({ emoji, label, tags = [], group, version, skins = [] }) => {
    if (group === undefined || LEFT_OUT.includes(group) || version > NEWEST) return [];
    const own = words[emoji.replaceAll('\uFE0F', '')];
    const tones = skins.filter(({ tone }) => typeof tone === 'number').map((skin) => skin.emoji);
    // English words find an emoji in every language.
    const found = own ? [...(own.default ?? []), label, ...tags] : tags;
    return [[emoji, own?.tts?.[0] ?? label, found.join('|'), group, version, tones.join(' ')]];
  });
}

/** Makes the data of the emoji picker a module of each language, so that they are loaded from our own server alone. */
export function emojiData(): Plugin {
  return {
    name: 'emoji-data',
    resolveId: (id) => (address.test(id) ? `\0${id}` : undefined),
    load: (id) => {
      const [, language] = address.exec(id.slice(1)) ?? [];
      // A text is read faster than the literal that it describes.
      return language && `export default JSON.parse(${JSON.stringify(JSON.stringify(rowsOf(language)))});`;
    },
  };
}
