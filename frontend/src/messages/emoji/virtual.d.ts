/** Emoji, label, search words by `|`, group of Emojibase, version, skin tones by spaces from light to dark. */
type EmojiRow = [emoji: string, label: string, words: string, group: number, version: number, tones: string];

declare module 'virtual:emoji/en' {
  const rows: EmojiRow[];
  export default rows;
}
declare module 'virtual:emoji/ur' {
  const rows: EmojiRow[];
  export default rows;
}
