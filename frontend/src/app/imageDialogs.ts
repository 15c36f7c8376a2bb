import { onOpening } from '../ui/onOpening';
import { preloadViewer } from '../viewer/preload';

/** The dialogs of sharing and studies. Both import images, so the screens with images get them as props from here. */
export const imageDialogs = {
  Share: onOpening(async () => (await import('../sharing/ShareDialog')).ShareDialog),
  Verify: onOpening(async () => (await import('../sharing/VerifyDialog')).VerifyDialog),
  Study: onOpening(async () => (await import('../studies/StudyDialog')).StudyDialog),
  Rename: onOpening(async () => (await import('../studies/RenameDialog')).RenameDialog),
  preloadViewer,
};
