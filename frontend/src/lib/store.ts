import { createStore } from 'jotai';

/** The only Jotai store of the app: React uses it through the Provider, the socket and the HTTP client directly. */
export const store: ReturnType<typeof createStore> = createStore();
