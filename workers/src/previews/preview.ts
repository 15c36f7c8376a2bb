import type { Rendered } from './decode.js';
import type { Measurements } from './measure.js';
import { RenderCrashed, Renderers } from './renderers.js';

export type { Measurements, Rendered };
export { RenderCrashed };

export interface Preview {
  webp: Buffer;
  width: number;
  height: number;
}

const renderers = new Renderers();

/** The small picture of a file, null when none can be made; throws RenderCrashed when it may work another time. */
export async function renderPreview(bytes: Buffer, contentType: string): Promise<Preview | null> {
  const rendered = await renderers.run('preview', bytes, contentType);
  return rendered && { webp: asBuffer(rendered.bytes), width: rendered.width, height: rendered.height };
}

/** A PNG of at most 1024 pixels a side, without anything of the original but its pixels. */
export async function renderForModel(bytes: Buffer, contentType: string): Promise<Rendered | null> {
  const rendered = await renderers.run('forModel', bytes, contentType);
  return rendered && { ...rendered, bytes: asBuffer(rendered.bytes) };
}

/** Numbers about the pixels, taken where they were decoded. */
export function measureImage(bytes: Buffer, contentType: string): Promise<Measurements | null> {
  return renderers.run('measurements', bytes, contentType);
}

/** For shutdown. */
export const closeRenderers = (): Promise<void> => renderers.close();

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
