import { useTranslation } from 'react-i18next';
import { useDebounced } from '../lib/useDebounced';
import type { Pane } from './engine';
import { useShown } from './useShown';
import { windowValue } from './window';

/** The time without a change after which frame and window are read aloud: not at each tick of the wheel. */
const REST_MS = 700;

/** The sentence for screen readers about the frame and the window on screen. */
export function Announced({ pane }: { pane: Pane | undefined }) {
  const { t } = useTranslation();
  const sentence = useShown(pane, (shown) => {
    const { state, frame, frames, center, width, colour } = shown;
    if (state !== 'drawn') return '';
    const position = t('viewer.frameOf', { frame, frames });
    return colour
      ? position
      : `${position}. ${t('viewer.windowIs', { width: windowValue(width, shown), center: windowValue(center, shown) })}`;
  });
  return useDebounced(sentence, REST_MS);
}
