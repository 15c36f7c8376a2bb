/** A frame as the imaging library names it: the scheme of our loader, the id of the image, and the frame from 1. */
export interface FrameRef {
  id: string;
  n: number;
}

/** The frames or pages of one image. */
export const framesOfImage = (id: string, count: number): FrameRef[] =>
  Array.from({ length: count }, (_, i) => ({ id, n: i + 1 }));

export const scheme = 'lightbox';
export const frameIdOf = ({ id, n }: FrameRef) => `${scheme}:${id}#${n}`;

export function frameOf(frameId: string): FrameRef {
  const [, id = '', n = '1'] = /^\w+:([^#]+)#(\d+)$/.exec(frameId) ?? [];
  return { id, n: Number(n) };
}
