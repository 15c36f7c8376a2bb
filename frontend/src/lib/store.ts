import { createStore } from 'jotai';

/** The app's one Jotai store: React reads it through the Provider, the socket and the HTTP client write to it directly. */
export const store: ReturnType<typeof createStore> = createStore();
