/** The formats in which a worker can draw a frame. */
export const pictureFormats = ['jpeg', 'png', 'webp'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

const starts: Record<PictureFormat, (head: string) => boolean> = {
  jpeg: (head) => head.startsWith('\xff\xd8\xff'),
  png: (head) => head.startsWith('\x89PNG\r\n\x1a\n'),
  webp: (head) => head.startsWith('RIFF') && head.endsWith('WEBP'),
};

/** True when the bytes begin like a picture of this format. */
export const isFormat = (bytes: Buffer, format: PictureFormat): boolean =>
  starts[format](bytes.toString('latin1', 0, 12));
