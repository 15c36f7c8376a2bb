import type { FrameFacts } from '@lightbox/contract/images/drawing.js';

/** The facts of the open images, by the id of the image. The imaging library asks for them by the name of a frame. */
const open = new Map<string, FrameFacts>();

/** Frames whose pixels are drawn in colour by the browser or by the server, not decoded from the file. */
const coloured = new Set<string>();

export const registerFacts = (id: string, facts: FrameFacts) => void open.set(id, facts);
export const factsById = (id: string) => open.get(id);

export const markColoured = (frameId: string) => void coloured.add(frameId);
export const isColoured = (frameId: string) => coloured.has(frameId);

export function forgetFacts() {
  open.clear();
  coloured.clear();
}
