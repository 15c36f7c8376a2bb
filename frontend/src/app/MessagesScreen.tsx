import { lazy, Suspense } from 'react';
import type { Verifying } from '../images/dialogs';
import { Messages } from '../messages/Messages';

const VerifyDialog = lazy(async () => ({ default: (await import('../sharing/VerifyDialog')).VerifyDialog }));

const Verify = (props: Verifying) => (
  <Suspense fallback={null}>
    <VerifyDialog {...props} />
  </Suspense>
);

/** The chats with the dialog for the code of an attached image, which is a part of sharing. */
export const MessagesScreen = () => <Messages VerifyDialog={Verify} />;
