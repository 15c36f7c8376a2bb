import type { ContentType } from '@lightbox/contract/images/names.js';
import { fileTypeFromBuffer } from 'file-type';
import { dicomStart } from './dicomStart.js';

/** Number of bytes that file-type needs for a final answer. */
export const SNIFF_BYTES = 4100;

/**
 * Returns the type by content alone; null for a type that is not accepted. DICOM is checked first: a DICOM file may
 * have a TIFF header as preamble (PS3.10 §7.1), and file-type would report TIFF.
 */
export async function sniff(head: Buffer): Promise<ContentType | null> {
  if (dicomStart(head)) return 'application/dicom';
  const found = await fileTypeFromBuffer(head);
  switch (found?.mime) {
    case 'image/jpeg':
      return 'image/jpeg';
    // An animated PNG is accepted as the still picture that every PNG reader shows of it.
    case 'image/png':
    case 'image/apng':
      return 'image/png';
    case 'application/pdf':
      return 'application/pdf';
    default:
      return null;
  }
}

const byExtension: Record<string, ContentType | 'other'> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  jfif: 'image/jpeg',
  png: 'image/png',
  apng: 'image/png',
  pdf: 'application/pdf',
  dcm: 'application/dicom',
  dicom: 'application/dicom',
  dic: 'application/dicom',
  ...Object.fromEntries(
    ['gif', 'webp', 'svg', 'bmp', 'tif', 'tiff', 'heic', 'heif', 'avif', 'jxl', 'jp2', 'html', 'htm'].map((e) => [
      e,
      'other' as const,
    ]),
  ),
};

const byMime: Record<string, ContentType> = {
  'image/jpeg': 'image/jpeg',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/png': 'image/png',
  'image/x-png': 'image/png',
  'image/apng': 'image/png',
  'image/vnd.mozilla.apng': 'image/png',
  'application/pdf': 'application/pdf',
  'application/dicom': 'application/dicom',
  'image/dicom': 'application/dicom',
  'image/dicom-rle': 'application/dicom',
};

/**
 * True when the declared type or the extension contradicts the content. A declared image, PDF or DICOM type and a known
 * extension can contradict it; an absent type, octet-stream and an unknown extension cannot.
 */
export function contradicts(detected: ContentType, declaredMime: string | undefined, filename?: string): boolean {
  const mime = declaredMime?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mime in byMime && byMime[mime] !== detected) return true;
  if (mime.startsWith('image/') && !(mime in byMime)) return true;
  const extension = /\.([a-z0-9]{1,8})\s*$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(byExtension, extension) && byExtension[extension] !== detected;
}
