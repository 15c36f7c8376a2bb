const held = new Set<() => void>();

/** Something that belongs to the person at the screen, and how to be rid of it. */
export const holdPrivate = (forget: () => void) => held.add(forget);

/** Before the next person, or nobody, is on the screen. */
export const forgetPrivate = () => {
  for (const forget of held) forget();
};
