import type { Core } from '@lightbox/core/core.js';
import { newUsers } from '../bench/people.js';

export const password = 'Granite-Willow-77';

/** Stores accounts in the database. Returns their mail addresses. */
export async function enterPeople(core: Core, providers: number, patients: number) {
  const made = [await newUsers('healthProvider', providers, password), await newUsers('patient', patients, password)];
  await core.models.User.insertMany(made.flat());
  const [one = [], other = []] = made.map((users) => users.map(({ email }) => email));
  return { providers: one, patients: other };
}
