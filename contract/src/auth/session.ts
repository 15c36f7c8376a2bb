/**
 * Everything a signed-in browser keeps about its person, in local storage under `root` next to the token. All else is read
 * from the profile when a screen shows it. It stands apart from the schemas, so that the first page does not load zod.
 */
export const sessionFields = ['id', 'email', 'username', 'firstname', 'lastname', 'role'] as const;
export type SessionField = (typeof sessionFields)[number];

/** Those fields and no others. */
export const sessionUserOf = <T extends Record<SessionField, unknown>>(user: T) =>
  Object.fromEntries(sessionFields.map((name) => [name, user[name]])) as Pick<T, SessionField>;
