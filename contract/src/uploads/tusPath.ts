/** The path of resumable uploads, below `/api`. It is apart from the calls, so that the screens do not load zod. */
export const tusPath = '/upload/tus';
