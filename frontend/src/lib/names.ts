/** The part of a contract's name before the dot: `user` of `user.read`. */
export type AreaOf<Name extends string> = Name extends `${infer Area}.${string}` ? Area : never;
export const areaOf = <Name extends string>(name: Name) => name.split('.')[0] as AreaOf<Name>;

type KeyOf<Name extends string> = Name extends `${infer Area}.${infer What}` ? `${Area}_${What}` : never;
/**
 * Returns the translation key of a contract's name, with `_` for its dot, because i18next reads a dot as a level. A
 * name without a translation fails the type check.
 */
export const keyOf = <Name extends string>(name: Name) => name.replace('.', '_') as KeyOf<Name>;
