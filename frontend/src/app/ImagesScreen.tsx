import { HelpedTabs } from '../carers/HelpedTabs';
import { ViewImages } from '../images/ViewImages';
import { AskForImage } from '../requests/AskForImage';
import { imageDialogs } from './imageDialogs';

/** The gallery with the dialogs of sharing, studies and requests, and with the images of patients whom the viewer helps. */
export const ImagesScreen = () => <ViewImages AskForImage={AskForImage} Helped={HelpedTabs} {...imageDialogs} />;
