/**
 * Everything that a signed-in browser stores about its person, in local storage under `root` next to the token. A
 * screen reads other fields from the profile. This file is apart from the schemas, so that the first page does not load
 * zod.
 */
export const sessionFields = ['id', 'email', 'username', 'firstname', 'lastname', 'role'] as const;
export type SessionField = (typeof sessionFields)[number];

/** Returns these fields of a user, the id of their photo if they have one, and no others. */
export const sessionUserOf = <T extends Record<SessionField, unknown> & { photo?: string | undefined }>(user: T) => ({
  ...(Object.fromEntries(sessionFields.map((name) => [name, user[name]])) as Pick<T, SessionField>),
  ...(user.photo ? { photo: user.photo } : {}),
});
