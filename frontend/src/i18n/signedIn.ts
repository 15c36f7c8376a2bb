import { signedIn } from './en/signedIn';
import { i18n } from './index';

// This module is loaded with the frame of the signed-in screens, before any of them renders.
i18n.addResourceBundle('en', 'translation', signedIn, true);
