import { SignOnReturn } from '../auth/SignOnReturn';
import { AskProof } from './AskProof';

/** The way back from a provider. To link its login needs a recent proof, and no other frame is around this screen. */
export const SignOnScreen = () => (
  <>
    <SignOnReturn />
    <AskProof />
  </>
);
