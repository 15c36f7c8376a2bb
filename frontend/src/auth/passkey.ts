import type { PasskeyAnswer, PasskeyQuestion } from '@lightbox/contract/auth/passkeys.js';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** Passkeys belong to a domain, so a browser has none for an address of digits, nor for a page that came in clear. */
export const passkeysPossible = (): boolean =>
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname);

const library = () => import('@simplewebauthn/browser');

/** The person closed the browser's own dialog, or something else was asked meanwhile: nothing to say about. */
const left = ['NotAllowedError', 'AbortError'];
const unlessLeft = (error: unknown): undefined => {
  if (error instanceof Error && left.includes(error.name)) return undefined;
  throw error;
};

/** Lets the person choose a passkey; nothing when they did not. `autofill` waits in the field's suggestions. */
export async function choosePasskey(
  { ceremony, options }: PasskeyQuestion,
  { autofill = false } = {},
): Promise<PasskeyAnswer | undefined> {
  const { startAuthentication } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill: autofill }).catch(unlessLeft);
  return response && { ceremony, response: response as PasskeyAnswer['response'] };
}

export async function makePasskey({ ceremony, options }: PasskeyQuestion) {
  const { startRegistration } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const response = await startRegistration({ optionsJSON }).catch(unlessLeft);
  return response && { ceremony, response };
}

/** The suggestions of the browser's field take passkeys too. */
export const offersAutofill = async (): Promise<boolean> => (await library()).browserSupportsWebAuthnAutofill();

/** Ends what still waits in the field. */
export const endAutofill = async (): Promise<void> => (await library()).WebAuthnAbortService.cancelCeremony();
