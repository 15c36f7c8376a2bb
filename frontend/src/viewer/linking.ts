import { factsOfFrame } from '@lightbox/contract/annotations/measuring.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { frameOf } from './engine/frameId';
import { cross, directionsOf, dot, type Vector } from './orientation';

type FactsOf = (imageId: string) => FrameFacts | undefined;

function placed(frameId: string, factsOf: FactsOf) {
  const { id, n } = frameOf(frameId);
  const file = factsOf(id);
  const facts = file && factsOfFrame(file, n);
  if (!facts?.position || !facts.orientation) return undefined;
  const { row, column } = directionsOf(facts.orientation);
  return { position: facts.position as Vector, normal: cross(row, column), room: facts.frameOfReference };
}

/** The cosine above which two stacks count as parallel. */
const PARALLEL = 0.9;

/**
 * Returns the position in the other stack that belongs to a frame of this one: the nearest slice when both lie in one
 * room and are parallel, else the same step from where both stood when they were linked.
 */
export function partnerOf(
  frameId: string,
  other: readonly string[],
  factsOf: FactsOf,
  byOffset: number,
): number | undefined {
  const here = placed(frameId, factsOf);
  if (here?.room) {
    let best: { at: number; far: number } | undefined;
    const places = new Set<number>();
    for (const [at, one] of other.entries()) {
      const there = placed(one, factsOf);
      if (!there || there.room !== here.room || Math.abs(dot(there.normal, here.normal)) < PARALLEL) {
        best = undefined;
        break;
      }
      const place = dot(there.position, here.normal);
      places.add(place);
      const far = Math.abs(place - dot(here.position, here.normal));
      if (!best || far < best.far) best = { at, far };
    }
    // The frames of a film lie in one place: their order says more.
    if (best && places.size === other.length) return best.at;
  }
  return byOffset >= 0 && byOffset < other.length ? byOffset : undefined;
}
