const waiting = new Map<string, ReturnType<typeof setTimeout>>();

/** Does the same work once for a burst of reasons: `ms` after the last one. */
export function coalesce(key: string, work: () => void, ms = 250) {
  clearTimeout(waiting.get(key));
  waiting.set(
    key,
    setTimeout(() => {
      waiting.delete(key);
      work();
    }, ms),
  );
}
