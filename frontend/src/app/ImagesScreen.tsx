import { ViewImages } from '../images/ViewImages';
import { AskForImage } from '../requests/AskForImage';
import { imageDialogs } from './imageDialogs';

/** The gallery with the dialogs of sharing, studies and requests. */
export const ImagesScreen = () => <ViewImages AskForImage={AskForImage} {...imageDialogs} />;
