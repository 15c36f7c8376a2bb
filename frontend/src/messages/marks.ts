import { plain } from '@lightbox/contract/plain.js';

/** Returns the searched words without case and accents, as the server compares them. */
export const wordsOf = (text: string): string[] => plain(text).split(/\s+/).filter(Boolean);

interface Piece {
  text: string;
  hit: boolean;
}

/** Splits a text into pieces, and marks those that a folded word names. The pieces together are the text. */
export function marked(text: string, words: readonly string[]): Piece[] {
  if (words.length === 0) return [{ text, hit: false }];
  // Folding changes the number of characters: for each folded one, the place of its letter in the text.
  let folded = '';
  const places: number[] = [];
  let place = 0;
  for (const letter of text) {
    const own = plain(letter);
    folded += own;
    for (let i = 0; i < own.length; i++) places.push(place);
    place += letter.length;
  }
  const isHit = new Uint8Array(text.length);
  for (const word of words) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      // A letter and the accents after it are marked together.
      isHit.fill(1, places[at], places[at + word.length] ?? text.length);
    }
  }
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = 1; at <= text.length; at++) {
    if (at < text.length && isHit[at] === isHit[from]) continue;
    pieces.push({ text: text.slice(from, at), hit: isHit[from] === 1 });
    from = at;
  }
  return pieces;
}
