/** Downloads bytes in the browser as a file with that name. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads the URL later, so it must stay valid for a while.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Returns a file name with the day: `users-2026-11-21.csv`. */
export function datedName(name: string, ending: string, now = new Date()): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${name}-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.${ending}`;
}
