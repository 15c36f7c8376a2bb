import { session } from '../auth/session';

export const me = () => session().user?.id ?? '';

export const listKey = ['messages', 'list'] as const;
/** Of every chat. */
export const chats = ['messages', 'chat'] as const;
export const chatKey = (userId: string) => [...chats, userId] as const;
