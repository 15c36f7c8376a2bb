import {
  cache,
  canRenderFloatTextures,
  Enums,
  getRenderingCapabilities,
  getShouldUseCPURendering,
  init as initCore,
  RenderingEngine,
  setUseCPURendering,
  type Types,
} from '@cornerstonejs/core';
import { annotation, init as initTools } from '@cornerstonejs/tools';
import type { ApiError } from '../../lib/http';
import { holdPrivate } from '../../lib/private';
import { CancelledLoad, startLoader } from './loader';
import { forgetVolumes } from './reformat';
import { forgetFacts } from './registry';
import { startTools } from './tools';

const MB = 1024 * 1024;

/** Told about frames that the server refuses, and about images that the server draws. */
interface Listener {
  refused: (id: string, error: ApiError) => void;
  rendered: (id: string) => void;
}

const listeners = new Set<Listener>();
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

let started = false;
let engine: RenderingEngine | undefined;

const phone = () => matchMedia('(pointer: coarse)').matches && Math.min(screen.width, screen.height) < 800;

/** Starts the imaging library once for the page. */
export function start(): void {
  if (started) return;
  started = true;
  // One drawing context for all panes. The library would make seven for each engine, and a page may have sixteen.
  initCore({ rendering: { webGlContextCount: 1 } } as Parameters<typeof initCore>[0]);
  initTools();
  // A software renderer of WebGL needs five times longer for a frame than the library's own renderer.
  const { webgl, softwareRasterizer } = getRenderingCapabilities();
  if (!webgl || softwareRasterizer) setUseCPURendering(true);
  cache.setMaxCacheSize((phone() ? 160 : 288) * MB);
  startLoader({
    refused: (id, error) => {
      for (const one of listeners) one.refused(id, error);
    },
    rendered: (id) => {
      for (const one of listeners) one.rendered(id);
    },
    workers: Math.max(1, Math.min(4, Math.floor((navigator.hardwareConcurrency || 2) / 2))),
  });
  startTools();
  holdPrivate(forgetPixels);
  // The library leaves the rejection of a load that it has cancelled itself without a handler.
  window.addEventListener('unhandledrejection', (event) => {
    if (event.reason instanceof CancelledLoad) event.preventDefault();
  });
}

/**
 * True when the picture may be drawn between its pixels. A graphics card that does not interpolate numbers with fractions
 * draws nothing then; such numbers are also the form of those of 16 bits, unless the card has another.
 */
export function isSmooth(image: Types.IImage): boolean {
  if (getShouldUseCPURendering() || canRenderFloatTextures()) return true;
  const { norm16, norm16Linear } = getRenderingCapabilities();
  return image.dataType === 'Uint8Array' || (/^U?[iI]nt16Array$/.test(image.dataType ?? '') && norm16 && norm16Linear);
}

export const engineId = 'viewer';

export function renderingEngine(): RenderingEngine {
  start();
  if (!engine || engine.hasBeenDestroyed) engine = new RenderingEngine(engineId);
  return engine;
}

/** The surfaces on which the engine draws with the graphics card. */
const surfaces = new Set<{ getContext: () => WebGL2RenderingContext | null }>();

/** Makes a viewport on an element. */
export function enable(viewportId: string, element: HTMLDivElement): void {
  const running = renderingEngine();
  const type = Enums.ViewportType.STACK;
  running.enableElement({ viewportId, element, type, defaultOptions: { background: [0, 0, 0] } });
  if (getShouldUseCPURendering()) return;
  surfaces.add(running.getOffscreenMultiRenderWindow(viewportId).getOpenGLRenderWindow());
}

/** Ends the engine and its drawing contexts. The library leaves these to the garbage collector, and a page may have few. */
function endEngine(): void {
  const contexts = [...surfaces].map((surface) => surface.getContext());
  surfaces.clear();
  runningEngine()?.destroy();
  engine = undefined;
  for (const context of contexts) {
    // The library complains about every context that ends.
    context?.canvas.addEventListener('webglcontextlost', (event) => event.stopImmediatePropagation(), true);
    context?.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

/** The engine while there is one. */
export const runningEngine = () => (engine && !engine.hasBeenDestroyed ? engine : undefined);

/** The screens that use the library at the moment. */
let users = 0;

/** Keeps pixels in memory until the last screen that uses them is closed. */
export function use(): () => void {
  users++;
  return () => {
    users--;
    // React may mount a screen again at once.
    setTimeout(() => users === 0 && forgetPixels());
  };
}

/** Deletes all pixels from memory: canvases, textures of the graphics card, caches, facts and measurements. */
export function forgetPixels(): void {
  if (!started) return;
  for (const canvas of document.querySelectorAll<HTMLCanvasElement>('[data-viewport] canvas')) canvas.width = 0;
  endEngine();
  annotation.state.removeAllAnnotations();
  cache.purgeCache();
  forgetVolumes();
  forgetFacts();
}
