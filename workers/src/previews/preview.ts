import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import type { Measurements } from './measure.js';
import type { BlackedOut, FrameChoice, Grid, Prepared } from './protocol.js';
import { RemoteRenderer } from './remoteRenderer.js';
import type { ForModel, Rendered } from './rendered.js';
import type { Renderer } from './renderer.js';
import { Renderers } from './renderers.js';
import { findSandbox, isolations, type Sandbox } from './sandbox.js';

export type { FrameChoice, Measurements, Prepared, Rendered };

/** The place where foreign files are decoded, away from the keys: a separate service, or a sandbox on this machine. */
export type Isolation = 'service' | Sandbox['isolation'];

/** Draws and measures foreign files in other processes. Previews, single frames and analyses do not wait for each other. */
export interface Pictures {
  isolation: Isolation;
  /**
   * Returns preview, drawing and tags of a file, or null when its content is unknown. `onPart` gets the plain frames.
   * Throws the errors of a `Renderer` and of `onPart`.
   */
  prepare: (bytes: Buffer, contentType: string, onPart: (part: Buffer) => Promise<void>) => Promise<Prepared | null>;
  /** Returns one frame or page, as WebP by default, of at most 2048 pixels a side, or null when it cannot be drawn. */
  frame: (bytes: Buffer, contentType: string, choice: FrameChoice) => Promise<Rendered | null>;
  /** Returns the middle square of a picture as WebP of 256 pixels a side, or null when it cannot be drawn. */
  photo: (bytes: Buffer, contentType: string) => Promise<Rendered | null>;
  /** Returns a PNG of at most 1024 pixels a side, with nothing of the original but its pixels. */
  forModel: (bytes: Buffer, contentType: string) => Promise<ForModel | null>;
  /** Returns the plain values of the same picture, in the size of `grid`. */
  pixels: (bytes: Buffer, contentType: string, grid: Grid) => Promise<Buffer | null>;
  /**
   * Blacks out rectangles of a file. `onPart` gets the facts and the bytes (`BlackedOutFacts`). Null when the pixels cannot
   * be read: the parts that came before are worth nothing then.
   */
  blackOut: (
    bytes: Buffer,
    contentType: string,
    rectangles: readonly BlackRectangle[],
    onPart: (part: Buffer) => Promise<void>,
  ) => Promise<BlackedOut | null>;
  /** Returns measurements of the pixels. The process that decodes them measures them. */
  measure: (bytes: Buffer, contentType: string) => Promise<Measurements | null>;
  close: () => Promise<void>;
}

/** Uses the renderer service on this socket, or processes of this machine without one, which cannot see the data folder. */
export async function openPictures(rendererSocket: string | null, dataDir?: string): Promise<Pictures> {
  const sandbox = rendererSocket ? null : await findSandbox(isolations, dataDir ? { dataDir } : {});
  const open = (): Renderer => (sandbox ? new Renderers({ sandbox }) : new RemoteRenderer(rendererSocket as string));
  const [previews, frames, analyses] = [open(), open(), open()];
  return {
    isolation: sandbox?.isolation ?? 'service',
    prepare: (bytes, contentType, onPart) => previews.run('prepare', bytes, contentType, { onPart }),
    frame: (bytes, contentType, choice) => frames.run('frame', bytes, contentType, { choice }),
    photo: (bytes, contentType) => frames.run('photo', bytes, contentType),
    forModel: (bytes, contentType) => analyses.run('forModel', bytes, contentType),
    pixels: async (bytes, contentType, grid) => {
      const drawn = await analyses.run('pixels', bytes, contentType, { grid });
      // A hostile renderer may return any number of bytes.
      return drawn && drawn.bytes.length === grid.width * grid.height * grid.channels ? drawn.bytes : null;
    },
    blackOut: (bytes, contentType, rectangles, onPart) =>
      frames.run('blackOut', bytes, contentType, { rectangles, onPart }),
    measure: (bytes, contentType) => analyses.run('measurements', bytes, contentType),
    close: async () => {
      await Promise.all([previews, frames, analyses].map((renderer) => renderer.close()));
      sandbox?.close();
    },
  };
}
