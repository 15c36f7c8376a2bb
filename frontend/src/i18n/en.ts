import { first } from './en/first';
import { further } from './en/further';
import { signedIn } from './en/signedIn';

/** One file per feature. A key is `feature.name`. */
export const en = { ...first, ...signedIn, ...further } as const;
