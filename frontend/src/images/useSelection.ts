import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { useState } from 'react';

/** The images that are chosen in the gallery, to share them together. Undefined while nothing is being chosen. */
export function useSelection() {
  const [chosen, setChosen] = useState<readonly Image[]>();
  return {
    chosen,
    begin: () => setChosen([]),
    end: () => setChosen(undefined),
    full: (chosen?.length ?? 0) >= limits.batchItems,
    toggle: (image: Image) =>
      setChosen((now = []) =>
        now.some(({ id }) => id === image.id) ? now.filter(({ id }) => id !== image.id) : [...now, image],
      ),
  };
}

export type Selection = ReturnType<typeof useSelection>;
