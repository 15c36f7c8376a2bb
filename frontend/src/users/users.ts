/** Providers that wait for review, for the menu. */
export const usePendingCount = () => 0;
