import { Messages } from '../messages/Messages';
import { onOpening } from '../ui/onOpening';

const VerifyDialog = onOpening(async () => (await import('../sharing/VerifyDialog')).VerifyDialog);

/** The chats with the dialog for the code of an attached image, which is a part of sharing. */
export const MessagesScreen = () => <Messages VerifyDialog={VerifyDialog} />;
