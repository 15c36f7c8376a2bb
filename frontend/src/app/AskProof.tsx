import { useAtomValue } from 'jotai';
import { lazy, Suspense } from 'react';
import { askedAtom } from '../auth/proof';

const StepUp = lazy(async () => ({ default: (await import('../security/StepUp')).StepUp }));

/** The dialog in which a person proves who they are. A call waits for it wherever it is refused without a proof. */
export function AskProof() {
  const asked = useAtomValue(askedAtom);
  return <Suspense fallback={null}>{asked && <StepUp />}</Suspense>;
}
