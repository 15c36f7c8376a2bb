import { plain } from '@lightbox/contract/plain.js';
import { ConfigError, noAdminMessage } from '@lightbox/core/config/env.js';
import { isDuplicate, newId } from '@lightbox/core/db/ids.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import { sealPerson } from '@lightbox/core/users/profile.js';
import { searchFields } from '@lightbox/core/users/search.js';
import { weakness } from './auth/commonPasswords.js';
import type { DemoPerson, Gateway } from './context.js';
import { seedDemo } from './demo/seed.js';

/** Creates the accounts that must exist before the first request: an admin, or the people of a demonstration. */
export async function bootstrap(gateway: Gateway): Promise<DemoPerson[]> {
  const { config } = gateway;
  if (config.demo) return seedDemo(gateway);
  if (await adminExists(gateway)) return [];
  if (!config.admin) throw new ConfigError(noAdminMessage);
  try {
    await createAdmin(gateway, config.admin);
  } catch (error) {
    // When several gateways start together, one of them creates the account.
    if (!isDuplicate(error) || !(await adminExists(gateway))) throw error;
  }
  return [];
}

const adminExists = (gateway: Gateway) => gateway.models.User.exists({ role: 'admin', deletedAt: { $exists: false } });

async function createAdmin(gateway: Gateway, { email, password }: { email: string; password: string }): Promise<void> {
  const name = { firstname: 'Lightbox', lastname: 'Admin', username: 'admin' };
  const fault = weakness(password, { ...name, email });
  if (fault) throw new ConfigError(`ADMIN_PASSWORD cannot be used:  ${fault}`);
  await gateway.models.User.create([
    sealPerson(gateway.keys, {
      ...name,
      _id: newId(gateway.clock.now()),
      email: email.toLowerCase(),
      usernameKey: plain(name.username),
      passwordHash: await hashPassword(password),
      role: 'admin',
      status: 'active',
      active: true,
      ...searchFields({ ...name, email }),
      createAt: gateway.clock.now(),
    }),
  ]);
}
