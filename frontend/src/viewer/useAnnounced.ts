import { useTranslation } from 'react-i18next';
import { useDebounced } from '../lib/useDebounced';
import type { Shown } from './engine';
import { rounded } from './measuring';

/** The time without a change after which frame and window are read aloud: not at each tick of the wheel. */
const REST_MS = 700;

/** Returns the sentence for screen readers about the frame and the window on screen. */
export function useAnnounced({ state, frame, frames, center, width, colour }: Shown, running: boolean): string {
  const { t } = useTranslation();
  const drawn = running && state === 'drawn';
  const position = t('viewer.frameOf', { frame, frames });
  const window = colour ? '' : t('viewer.windowIs', { width: rounded(width), center: rounded(center) });
  return useDebounced(drawn ? [position, window].filter(Boolean).join('. ') : '', REST_MS);
}
