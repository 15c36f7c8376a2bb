/** Unread messages, for the menu and the bottom bar. */
export const useUnreadMessages = () => 0;
