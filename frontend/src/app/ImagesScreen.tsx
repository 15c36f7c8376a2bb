import { ViewImages } from '../images/ViewImages';
import { ShareDialog } from '../sharing/ShareDialog';
import { VerifyDialog } from '../sharing/VerifyDialog';

/** The gallery with the dialogs of sharing. Sharing imports images, so images gets the dialogs as props from here. */
export const ImagesScreen = () => <ViewImages Share={ShareDialog} Verify={VerifyDialog} />;
