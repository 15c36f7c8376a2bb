import { ViewImages } from '../images/ViewImages';
import { ShareDialog } from '../sharing/ShareDialog';
import { VerifyDialog } from '../sharing/VerifyDialog';

/** The gallery with the dialogs of sharing. Sharing builds on images, so images gets them from here. */
export const ImagesScreen = () => <ViewImages Share={ShareDialog} Verify={VerifyDialog} />;
