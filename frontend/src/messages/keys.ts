import { session } from '../auth/session';

export const me = () => session().user?.id ?? '';

export const listKey = ['messages', 'list'] as const;
/** The key prefix of all chats. */
export const chats = ['messages', 'chat'] as const;
export const chatKey = (userId: string) => [...chats, userId] as const;
