import { ViewImages } from '../images/ViewImages';
import { AskForImage } from '../requests/AskForImage';
import { ShareDialog } from '../sharing/ShareDialog';
import { VerifyDialog } from '../sharing/VerifyDialog';
import { RenameDialog } from '../studies/RenameDialog';
import { StudyDialog } from '../studies/StudyDialog';
import { preloadViewer } from '../viewer/preload';

/** The gallery with the dialogs of sharing, studies and requests. They import images, so images gets them as props. */
export const ImagesScreen = () => (
  <ViewImages
    AskForImage={AskForImage}
    Share={ShareDialog}
    Verify={VerifyDialog}
    Study={StudyDialog}
    Rename={RenameDialog}
    preloadViewer={preloadViewer}
  />
);
