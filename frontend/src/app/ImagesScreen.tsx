import { ViewImages } from '../images/ViewImages';
import { ShareDialog } from '../sharing/ShareDialog';
import { VerifyDialog } from '../sharing/VerifyDialog';
import { RenameDialog } from '../studies/RenameDialog';
import { StudyDialog } from '../studies/StudyDialog';
import { preloadViewer } from '../viewer/preload';

/** The gallery with the dialogs of sharing and studies. Both import images, so images gets them as props from here. */
export const ImagesScreen = () => (
  <ViewImages
    Share={ShareDialog}
    Verify={VerifyDialog}
    Study={StudyDialog}
    Rename={RenameDialog}
    preloadViewer={preloadViewer}
  />
);
