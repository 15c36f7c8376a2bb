/** The key of session storage under which a tab keeps a text of a person. */
export const privateKey = (name: string, owner: string) => `${name}:${owner}`;
const ownerOf = (key: string) => /^[a-z]+:([0-9a-f]{24})$/.exec(key)?.[1];

/** Deletes the texts of everybody else from session storage. */
export function forgetOthers(owner: string | undefined) {
  for (const key of Object.keys(sessionStorage)) {
    if (ownerOf(key) && ownerOf(key) !== owner) sessionStorage.removeItem(key);
  }
}

const held = new Set<() => void>();

/** Registers a function that deletes private data of the signed-in person from memory or from the screen. */
export const holdPrivate = (forget: () => void) => held.add(forget);

/** Deletes all registered private data, at the end of a session and when another person signs in. */
export const forgetPrivate = () => {
  for (const forget of held) forget();
};
