import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import { PartAway } from '@lightbox/core/process/partAway.js';
import type { FrameChoice, Grid, TaskName, Tasks } from './protocol.js';

export interface RunOptions {
  choice?: FrameChoice;
  grid?: Grid;
  rectangles?: readonly BlackRectangle[];
  /** Called when the decoder gets the file, which may have waited for others before. */
  onBegin?: () => void;
  /** Gets the plain frames, or the blacked out file, in order, part after part. The next part is read when it has resolved. */
  onPart?: (part: Buffer) => Promise<void>;
}

/** Decodes foreign files outside of this process: `renderers.ts` or `remoteRenderer.ts`. */
export interface Renderer {
  /**
   * Returns null when the file cannot be drawn or takes too long. Throws RenderCrashed when a retry may succeed, and
   * RendererAway when the renderer cannot be reached or is stopping.
   */
  run: <Name extends TaskName>(
    name: Name,
    bytes: Buffer,
    contentType: string,
    options?: RunOptions,
  ) => Promise<Tasks[Name] | null>;
  close: () => Promise<void>;
}

/** The process that decoded a file died. A retry may succeed, unlike with a file that cannot be drawn. */
export class RenderCrashed extends Error {
  constructor(reason: string) {
    super(`The picture could not be rendered: ${reason}.`);
    this.name = 'RenderCrashed';
  }
}

/** The renderer cannot be reached, or it is stopping. The file is not the cause, so the job waits and spends no attempt. */
export class RendererAway extends PartAway {
  override name = 'RendererAway';

  constructor() {
    super('The renderer cannot be reached.');
  }
}

/**
 * The renderer service went away while it decoded this file, and was not told to stop. The file may be the cause: it counts as
 * a death during the job (`runner.ts`).
 */
export class RendererDied extends RendererAway {
  override name = 'RendererDied';
}
