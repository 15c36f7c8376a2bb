import type { authCalls } from '@lightbox/contract/auth/calls.js';
import { ConfigError, noAdminMessage } from '@lightbox/core/config/env.js';
import { newId } from '@lightbox/core/db/ids.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import { plain, searchFields } from '@lightbox/core/text.js';
import type { z } from 'zod';
import type { Gateway } from './context.js';

export type DemoPerson = z.infer<typeof authCalls.demoPeople.data>[number];

/** The first admin, when there is none yet. */
export async function bootstrap(gateway: Gateway): Promise<DemoPerson[]> {
  const { config, models, clock } = gateway;
  if (config.admin && !(await adminExists(gateway))) {
    const { email, password } = config.admin;
    await models.User.create([
      {
        _id: newId(),
        email: email.toLowerCase(),
        username: 'admin',
        usernameKey: plain('admin'),
        passwordHash: await hashPassword(password),
        role: 'admin',
        status: 'active',
        active: true,
        firstname: 'Lightbox',
        lastname: 'Admin',
        ...searchFields({ firstname: 'Lightbox', lastname: 'Admin', username: 'admin', email }),
        createAt: clock.now(),
      },
    ]);
  }
  if (!config.admin && !config.demo && !(await adminExists(gateway))) throw new ConfigError(noAdminMessage);
  return [];
}

const adminExists = (gateway: Gateway) => gateway.models.User.exists({ role: 'admin', deletedAt: { $exists: false } });
