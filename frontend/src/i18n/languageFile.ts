import type { en } from './en';

/** A language's words, in the shape of English. A missing key falls back to English. */
export interface LanguageFile {
  texts: Words<typeof en>;
  /** The contract's English sentences about single fields, in this language. */
  sentences: Record<string, string>;
}
/** Tags, say: of any number in any language. */
type List = readonly string[];
/** Languages may have other plural forms than English, so further keys are welcome. */
type Words<T> = { [K in keyof T]?: T[K] extends string ? string : T[K] extends List ? List : Words<T[K]> } & {
  [further: string]: string | List | Words<object> | undefined;
};
