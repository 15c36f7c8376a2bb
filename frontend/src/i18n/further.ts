import './signedIn';
import { further } from './en/further';
import { i18n } from './index';

// A module that is loaded later and uses one of these texts imports this one, so that they are there before it renders.
i18n.addResourceBundle('en', 'translation', further, true);
