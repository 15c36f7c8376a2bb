/** Hands bytes to the browser as a file of that name. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** `users-2026-11-21.csv`: what it is, and of which day. */
export function datedName(name: string, ending: string, now = new Date()): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${name}-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.${ending}`;
}
