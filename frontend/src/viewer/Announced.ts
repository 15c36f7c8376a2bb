import { rounded } from '@lightbox/contract/annotations/measuring.js';
import { useTranslation } from 'react-i18next';
import { useDebounced } from '../lib/useDebounced';
import type { Pane } from './engine';
import { useShown } from './useShown';

/** The time without a change after which frame and window are read aloud: not at each tick of the wheel. */
const REST_MS = 700;

/** The sentence for screen readers about the frame and the window on screen. */
export function Announced({ pane }: { pane: Pane | undefined }) {
  const { t } = useTranslation();
  const sentence = useShown(pane, ({ state, frame, frames, center, width, colour }) => {
    if (state !== 'drawn') return '';
    const position = t('viewer.frameOf', { frame, frames });
    return colour
      ? position
      : `${position}. ${t('viewer.windowIs', { width: rounded(width), center: rounded(center) })}`;
  });
  return useDebounced(sentence, REST_MS);
}
