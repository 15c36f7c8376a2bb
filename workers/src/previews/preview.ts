import type { Rendered } from './decode.js';
import type { Measurements } from './measure.js';
import { RemoteRenderer } from './remoteRenderer.js';
import type { Renderer } from './renderer.js';
import { Renderers } from './renderers.js';
import { findSandbox, type Sandbox } from './sandbox.js';

export type { Measurements, Rendered };

export interface Preview {
  webp: Buffer;
  width: number;
  height: number;
}

/** The place where foreign files are decoded, away from the keys: a separate service, or a sandbox on this machine. */
export type Isolation = 'service' | Sandbox['isolation'];

/** Draws and measures foreign files in other processes. Previews and analyses do not wait for each other. */
export interface Pictures {
  isolation: Isolation;
  /** Returns the small picture of a file, or null when it cannot be drawn. Throws the errors of a `Renderer`. */
  preview: (bytes: Buffer, contentType: string) => Promise<Preview | null>;
  /** Returns a PNG of at most 1024 pixels a side, with nothing of the original but its pixels. */
  forModel: (bytes: Buffer, contentType: string) => Promise<Rendered | null>;
  /** Returns measurements of the pixels. The process that decodes them measures them. */
  measure: (bytes: Buffer, contentType: string) => Promise<Measurements | null>;
  close: () => Promise<void>;
}

/** Uses the renderer service on this socket, or processes of this machine without one. */
export async function openPictures(rendererSocket: string | null): Promise<Pictures> {
  const sandbox = rendererSocket ? null : await findSandbox();
  const open = (): Renderer => (sandbox ? new Renderers({ sandbox }) : new RemoteRenderer(rendererSocket as string));
  const [previews, analyses] = [open(), open()];
  return {
    isolation: sandbox?.isolation ?? 'service',
    preview: async (bytes, contentType) => {
      const rendered = await previews.run('preview', bytes, contentType);
      return rendered && { webp: rendered.bytes, width: rendered.width, height: rendered.height };
    },
    forModel: (bytes, contentType) => analyses.run('forModel', bytes, contentType),
    measure: (bytes, contentType) => analyses.run('measurements', bytes, contentType),
    close: async () => {
      await Promise.all([previews.close(), analyses.close()]);
      sandbox?.close();
    },
  };
}
