import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { frameIdOf, framesOfImage } from './engine/frameId';

/** A thing that fills a pane: a stack of frames that one scrolls through, a document, or a file without pixels. */
export interface Entry {
  key: string;
  kind: 'stack' | 'pdf' | 'report' | 'none';
  /** The images whose frames are in the stack, each once, in order. */
  images: readonly Opened[];
  frameIds: string[];
  /** The facts of the first image. */
  facts: FrameFacts;
  /** The words that distinguish it in a list of series. */
  label: string;
  modality: string;
}

export interface Opened {
  id: string;
  facts: FrameFacts;
}

interface SeriesFacts {
  id: string;
  number?: number | undefined;
  description?: string | undefined;
  modality?: string | undefined;
  images: readonly Opened[];
}

const kindOf = ({ kind, frames }: FrameFacts): Entry['kind'] => {
  if (kind === 'dicom' || kind === 'picture') return frames > 0 ? 'stack' : 'none';
  return kind;
};

const framesOf = ({ id, facts }: Opened) =>
  framesOfImage(id, kindOf(facts) === 'stack' ? facts.frames : 0).map(frameIdOf);

function entryOf(images: readonly Opened[], label: string, modality: string): Entry {
  const [first] = images as [Opened];
  return {
    key: first.id,
    kind: kindOf(first.facts),
    images,
    frameIds: images.flatMap(framesOf),
    facts: first.facts,
    label,
    modality,
  };
}

export const entryOfImage = (image: Opened, label: string): Entry => entryOf([image], label, image.facts.modality);

/**
 * Returns the stacks of a series. Files with one frame are one stack; a film, a document and a report each stand alone.
 */
export function entriesOf({ number, description, modality, images }: SeriesFacts, nameless: string): Entry[] {
  const label = description || (number === undefined ? nameless : `${nameless}`);
  const single = images.filter(({ facts }) => kindOf(facts) === 'stack' && facts.frames === 1);
  const others = images.filter((image) => !single.includes(image));
  return [
    ...(single.length ? [entryOf(single, label, modality ?? single[0]?.facts.modality ?? '')] : []),
    ...others.map((image) => entryOf([image], label, modality ?? image.facts.modality)),
  ];
}
