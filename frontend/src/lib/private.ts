const held = new Set<() => void>();

/** Registers a function that deletes private data of the signed-in person from memory or from the screen. */
export const holdPrivate = (forget: () => void) => held.add(forget);

/** Deletes all registered private data, at the end of a session and when another person signs in. */
export const forgetPrivate = () => {
  for (const forget of held) forget();
};
