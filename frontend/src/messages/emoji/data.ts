import type { LanguageCode } from '@lightbox/contract/languages.js';
import type { EmojiData } from 'frimousse';

const rowsOf: Record<LanguageCode, () => Promise<{ default: EmojiRow[] }>> = {
  en: () => import('virtual:emoji/en'),
  ur: () => import('virtual:emoji/ur'),
};

/** The groups of Emojibase, by their numbers. */
const groups = {
  0: 'smileys',
  1: 'people',
  3: 'nature',
  4: 'food',
  5: 'travel',
  6: 'activities',
  7: 'objects',
  8: 'symbols',
} as const;
export type Group = (typeof groups)[keyof typeof groups];

const tones = ['light', 'medium-light', 'medium', 'medium-dark', 'dark'] as const;
const byTone = (emoji: string[]) =>
  Object.fromEntries(tones.map((tone, at) => [tone, emoji[at] ?? ''])) as Record<(typeof tones)[number], string>;

/** Reads the emoji with the labels of a language. `nameOf` names a group. */
export async function emojiIn(code: LanguageCode, nameOf: (group: Group) => string): Promise<EmojiData> {
  const { default: rows } = await rowsOf[code]();
  return {
    locale: code,
    categories: Object.entries(groups).map(([index, group]) => ({ index: Number(index), label: nameOf(group) })),
    emojis: rows.map(([emoji, label, words, category, version, skins]) => ({
      emoji,
      label,
      tags: words.split('|').filter(Boolean),
      category,
      version,
      ...(skins && { skins: byTone(skins.split(' ')) }),
    })),
    skinTones: byTone([...tones]),
  };
}
