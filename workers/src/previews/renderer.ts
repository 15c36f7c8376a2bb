import type { TaskName, Tasks } from './protocol.js';

/** Decodes foreign files somewhere else than in this process: `renderers.ts` or `remoteRenderer.ts`. */
export interface Renderer {
  /**
   * Null when the file cannot be drawn, which includes that it takes too long. Fails with RenderCrashed when another try
   * may succeed, and with RendererAway when the renderer service cannot be reached.
   */
  run: <Name extends TaskName>(name: Name, bytes: Buffer, contentType: string) => Promise<Tasks[Name] | null>;
  close: () => Promise<void>;
}

/** The process that decoded a file died: worth another try, unlike a file that cannot be drawn. */
export class RenderCrashed extends Error {
  constructor(reason: string) {
    super(`The picture could not be rendered: ${reason}.`);
    this.name = 'RenderCrashed';
  }
}
