import { ViewImages } from '../images/ViewImages';
import { imageDialogs } from './imageDialogs';

/** The gallery with the dialogs of sharing and studies. */
export const ImagesScreen = () => <ViewImages {...imageDialogs} />;
