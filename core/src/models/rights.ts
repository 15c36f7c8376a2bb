import type { Model, mongo } from 'mongoose';
import type { Models } from './models.js';

/** The rights that the audit log needs, besides inserting. All other collections need both. */
const ofAudit: Partial<Record<keyof Models, readonly string[]>> = {
  AuditEntry: [],
  AuditHead: ['update'],
  AuditRun: ['update'],
  AuditReceipt: ['remove'],
};

interface Privilege {
  resource: { db?: string; collection?: string; anyResource?: boolean };
  actions: string[];
}

/**
 * Returns the collections that the account of this connection may not change as the product does; none without accounts.
 * Such an account has the role of an older version (`infra/docker/mongo-user.js`).
 */
export async function collectionsWithoutRights(db: mongo.Db, models: Models): Promise<string[]> {
  const { authInfo } = await db.command({ connectionStatus: 1, showPrivileges: true });
  if (authInfo.authenticatedUsers.length === 0) return [];
  const privileges = authInfo.authenticatedUserPrivileges as Privilege[];
  const may = (collection: string, action: string) =>
    privileges.some(
      ({ resource, actions }) =>
        (resource.anyResource ||
          (['', db.databaseName].includes(resource.db ?? '-') &&
            ['', collection].includes(resource.collection ?? '-'))) &&
        (actions.includes(action) || actions.includes('anyAction')),
    );
  return (Object.entries(models) as [keyof Models, Model<unknown>][])
    .filter(([name, { collection }]) =>
      (ofAudit[name] ?? ['update', 'remove']).some((action) => !may(collection.name, action)),
    )
    .map(([, { collection }]) => collection.name)
    .sort();
}
