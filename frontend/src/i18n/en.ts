import { first } from './en/first';
import { signedIn } from './en/signedIn';

/** One file per feature; a key is `feature.what`. */
export const en = { ...first, ...signedIn } as const;
