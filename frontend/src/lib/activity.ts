/** When this person last did something that the server counts as activity: kept for all tabs of this browser. */

const key = 'activity';
/** The server notes activity once in this time, so the client counts from the same moments as the server does. */
export const notedEveryMs = 10_000;

/** For browsers that keep nothing. */
let memory = 0;

export function lastActive(): number {
  try {
    return Number(localStorage.getItem(key)) || memory;
  } catch {
    return memory;
  }
}

const heard = new Set<() => void>();

function note(at: number) {
  memory = at;
  try {
    localStorage.setItem(key, String(at));
  } catch {
    // Then this tab alone knows.
  }
  for (const tell of heard) tell();
}

/** A call or an event of this person reached the server; `at` is when it left. */
export function active(at = Date.now()) {
  if (at - lastActive() >= notedEveryMs) note(at);
}

/** A session begins: its time is counted from here, whatever was before. */
export const startActivity = () => note(Date.now());

/** Told when this tab or another one noted activity. */
export function onActivity(told: () => void): () => void {
  const fromOtherTab = (event: StorageEvent) => {
    if (event.key === key) told();
  };
  heard.add(told);
  window.addEventListener('storage', fromOtherTab);
  return () => {
    heard.delete(told);
    window.removeEventListener('storage', fromOtherTab);
  };
}
