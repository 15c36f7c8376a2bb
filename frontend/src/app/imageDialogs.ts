import { ShareDialog } from '../sharing/ShareDialog';
import { VerifyDialog } from '../sharing/VerifyDialog';
import { RenameDialog } from '../studies/RenameDialog';
import { StudyDialog } from '../studies/StudyDialog';
import { preloadViewer } from '../viewer/preload';

/** The dialogs of sharing and studies. Both import images, so the screens with images get them as props from here. */
export const imageDialogs = {
  Share: ShareDialog,
  Verify: VerifyDialog,
  Study: StudyDialog,
  Rename: RenameDialog,
  preloadViewer,
};
