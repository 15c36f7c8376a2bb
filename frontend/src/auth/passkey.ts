import type { PasskeyAnswer, PasskeyQuestion } from '@lightbox/contract/auth/passkeys.js';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** True when the browser can use passkeys here: on https or localhost, with a domain instead of an IP address. */
export const passkeysPossible = (): boolean =>
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname);

const library = () => import('@simplewebauthn/browser');

/** Errors after the person closed the browser's dialog, or another request replaced it: not shown. */
const cancelled = ['NotAllowedError', 'AbortError'];
const unlessCancelled = (error: unknown): undefined => {
  if (error instanceof Error && cancelled.includes(error.name)) return undefined;
  throw error;
};

/**
 * Lets the person choose a passkey and returns it, or undefined if they cancel. With `autofill` the passkeys are
 * suggestions of the e-mail field.
 */
export async function choosePasskey(
  { ceremony, options }: PasskeyQuestion,
  { autofill = false } = {},
): Promise<PasskeyAnswer | undefined> {
  const { startAuthentication } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill: autofill }).catch(unlessCancelled);
  return response && { ceremony, response: response as PasskeyAnswer['response'] };
}

export async function makePasskey({ ceremony, options }: PasskeyQuestion) {
  const { startRegistration } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const response = await startRegistration({ optionsJSON }).catch(unlessCancelled);
  return response && { ceremony, response };
}

/** Returns true when the browser can suggest passkeys in an input. */
export const offersAutofill = async (): Promise<boolean> => (await library()).browserSupportsWebAuthnAutofill();

/** Cancels the request for a passkey that waits in the suggestions of the field. */
export const endAutofill = async (): Promise<void> => (await library()).WebAuthnAbortService.cancelCeremony();
