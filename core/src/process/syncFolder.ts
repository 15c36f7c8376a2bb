import { open } from 'node:fs/promises';

/** Makes the names of a folder durable: a file that was synchronised may still lose its name in a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const file = await open(folder, 'r');
  await file.sync().finally(() => file.close());
}
