import type { Image } from '@lightbox/contract/images/schemas.js';
import type { Ask } from './ImageCard';

/** The props of a dialog about an image or a study (`subject.ts`). The image stays while the dialog closes. */
export interface AboutImage {
  open: boolean;
  image: Image | undefined;
  onClose: () => void;
  finalFocus: () => HTMLElement | null;
}

/** The props of the dialog that shares an image, or several chosen ones together. */
export interface Sharing extends AboutImage {
  images?: readonly Image[] | undefined;
  /** Called when the images are shared, before the dialog closes. */
  onShared?: () => void;
}

/** The props of the dialog that shows an image or a study large. */
export interface Opening extends AboutImage {
  /** Called when the closed dialog has left the screen. */
  onExited: () => void;
  onAsk: (what: Ask, image: Image) => void;
}

/** The props of the dialog that takes the id and the code of a share. */
export interface Verifying {
  open: boolean;
  /** The sharing id it starts with; empty when none is known. */
  shareId: string;
  /** The image of the share, if it is known. */
  image: Image | undefined;
  onClose: () => void;
  onOpen: (image: Image) => void;
  /** Called when the closed dialog has left the screen. */
  onExited?: () => void;
  finalFocus?: () => HTMLElement | null;
}
