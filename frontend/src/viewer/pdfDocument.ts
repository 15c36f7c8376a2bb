import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

/** The addresses of files that some documents need. Each is loaded from our own origin when a document asks for it. */
const files = import.meta.glob<string>(
  [
    '/../node_modules/pdfjs-dist/cmaps/*.bcmap',
    '/../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}',
    '/../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg,qcms_bg}.wasm',
  ],
  { query: '?url', import: 'default', eager: true },
);

const byName = new Map(Object.entries(files).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url]));

/** Loads maps of characters, fonts and decoders for the library. */
class Files {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const url = byName.get(filename);
    if (!url) throw new Error(`${filename} is not part of the viewer.`);
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${filename} could not be loaded.`);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

/** Opens a document. No script of it runs, and nothing is loaded from another origin. */
export function openDocument(data: Uint8Array): { document: Promise<PDFDocumentProxy>; close: () => void } {
  const task = getDocument({
    data,
    isEvalSupported: false,
    enableXfa: false,
    useWorkerFetch: false,
    BinaryDataFactory: Files,
    // The names of folders only say that these files exist.
    cMapUrl: '/',
    standardFontDataUrl: '/',
    wasmUrl: '/',
  } as Parameters<typeof getDocument>[0]);
  return { document: task.promise, close: () => void task.destroy() };
}

/** Returns the text of a page, a line of the page in each line. */
export async function textOf(document: PDFDocumentProxy, n: number): Promise<string> {
  const page = await document.getPage(n);
  const { items } = await page.getTextContent();
  return items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
}
