import { bool, type Id, id, part, string } from './fields.js';

/** The sign-in at a provider of single sign-on from which a session came. */
export interface SignOn {
  identity: Id;
  provider: string;
  /** The provider's id of its own session. */
  sid?: string;
  /** The sign-in counts as a second factor. */
  strong: boolean;
  /** The ID token, sealed: the provider asks for it at the sign-out. */
  hint?: string;
}

export const signOn = part<SignOn>({ identity: id, provider: string, sid: String, strong: bool, hint: String });
