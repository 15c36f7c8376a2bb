/** One file that the person gave: from the disk, or inside a zip. */
export interface Source {
  /** The name without its folders. */
  name: string;
  size: number;
  /** Returns the first bytes without reading the whole file. */
  head(bytes: number): Promise<Blob>;
  /** Returns the whole file. A file of a zip is unpacked only now. */
  open(): Promise<File>;
}

export const fromFile = (file: File): Source => ({
  name: file.name,
  size: file.size,
  head: async (bytes) => file.slice(0, bytes),
  open: async () => file,
});

const entryFile = (entry: FileSystemFileEntry) =>
  new Promise<File | undefined>((resolve) => entry.file(resolve, () => resolve(undefined)));

/** Returns the content of a folder. `readEntries` gives at most a hundred at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (!some.length) return all;
    all.push(...some);
  }
}

async function* walk(entries: FileSystemEntry[]): AsyncGenerator<File> {
  for (const entry of entries) {
    if (entry.isDirectory) yield* walk(await entriesOf(entry as FileSystemDirectoryEntry));
    else {
      const file = await entryFile(entry as FileSystemFileEntry);
      if (file) yield file;
    }
  }
}

/** Returns the dropped files, with those in dropped folders. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<File[]> {
  // The items are valid only until the drop event ends, so all entries are taken before the first wait.
  const entries = [...(items ?? [])].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.some(({ isDirectory }) => isDirectory)) return [...files];
  const found: File[] = [];
  for await (const file of walk(entries)) found.push(file);
  return found;
}

interface Choice {
  /** True to choose a whole folder. */
  folder?: boolean;
  /** True to take a picture with the camera of a phone. */
  camera?: boolean;
}

/** Opens the browser's own dialog and calls back with the chosen files. */
export function chooseFiles({ folder = false, camera = false }: Choice, onFiles: (files: File[]) => void) {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = !camera;
  input.webkitdirectory = folder;
  if (camera) {
    input.accept = 'image/*';
    input.capture = 'environment';
  }
  input.onchange = () => onFiles([...(input.files ?? [])]);
  input.click();
}
