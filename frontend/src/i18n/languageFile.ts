import type { en } from './en';

/** The texts of a language, with the keys of English. A missing key falls back to English. */
export interface LanguageFile {
  texts: Words<typeof en>;
  /** The contract's English sentences about single fields, in this language. */
  sentences: Record<string, string>;
}
/** A list of texts, such as tags. Its length may differ between languages. */
type List = readonly string[];
/** Further keys are allowed, because a language may have more plural forms than English. */
type Words<T> = { [K in keyof T]?: T[K] extends string ? string : T[K] extends List ? List : Words<T[K]> } & {
  [further: string]: string | List | Words<object> | undefined;
};
