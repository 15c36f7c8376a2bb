import { folded } from '@lightbox/contract/folded.js';

/** Returns the searched words as the server compares them. */
export const wordsOf = (text: string): string[] => folded(text).split(/\s+/).filter(Boolean);

interface Piece {
  text: string;
  hit: boolean;
}

/** Splits a text into pieces, and marks those that a folded word names. The pieces together are the text. */
export function marked(text: string, words: readonly string[]): Piece[] {
  if (words.length === 0) return [{ text, hit: false }];
  // Folding changes the number of characters: for each folded one, the place of its letter in the text.
  let compared = '';
  const places: number[] = [];
  let place = 0;
  for (const letter of text) {
    const own = folded(letter);
    compared += own;
    for (let i = 0; i < own.length; i++) places.push(place);
    place += letter.length;
  }
  const isHit = new Uint8Array(text.length);
  for (const word of words) {
    for (let at = compared.indexOf(word); at >= 0; at = compared.indexOf(word, at + word.length)) {
      let end = at + word.length;
      // A letter that is folded to several is marked whole, and a letter and the accents after it together.
      while (places[end] === places[end - 1]) end++;
      isHit.fill(1, places[at], places[end] ?? text.length);
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
