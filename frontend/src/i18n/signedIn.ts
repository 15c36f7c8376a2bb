import { signedIn } from './en/signedIn';
import { i18n } from './index';

// With the frame of the signed-in screens, so before any of them is drawn.
i18n.addResourceBundle('en', 'translation', signedIn, true);
