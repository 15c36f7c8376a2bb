/** What stands before the dot of a contract's name: `user` of `user.read`. */
export type AreaOf<Name extends string> = Name extends `${infer Area}.${string}` ? Area : never;
export const areaOf = <Name extends string>(name: Name) => name.split('.')[0] as AreaOf<Name>;

type KeyOf<Name extends string> = Name extends `${infer Area}.${infer What}` ? `${Area}_${What}` : never;
/** A contract's name as the key of its words, where its own dot would be a level. A name without words fails the type check. */
export const keyOf = <Name extends string>(name: Name) => name.replace('.', '_') as KeyOf<Name>;
