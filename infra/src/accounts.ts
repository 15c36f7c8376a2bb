import { runInNewContext } from 'node:vm';
import { eventually } from '@lightbox/testkit/eventually.js';
import { mongo } from 'mongoose';
import { expect } from 'vitest';

export interface AccountCommand {
  database: string;
  command: mongo.Document;
}

/** Returns the commands about accounts that a script for mongosh sends to a server without an account. */
export function accountCommands(script: string, password: string): AccountCommand[] {
  const asked: AccountCommand[] = [];
  const getSiblingDB = (database: string) => ({
    getRole: () => null,
    getUser: () => null,
    createRole: ({ role, ...rights }: mongo.Document) =>
      asked.push({ database, command: { createRole: role, ...rights } }),
    createUser: ({ user, ...account }: mongo.Document) =>
      asked.push({ database, command: { createUser: user, ...account } }),
  });
  runInNewContext(script, {
    db: { getSiblingDB },
    process: { env: { LIGHTBOX_DB_PASSWORD: password, LIGHTBOX_BACKUP_PASSWORD: password } },
    passwordPrompt: () => password,
  });
  return asked;
}

/** Initiates a set with one member, creates the account `root` of MongoDB, and runs commands as that account. */
export async function makeAccounts(
  port: number,
  password: string,
  commands: readonly AccountCommand[],
  options: mongo.MongoClientOptions = {},
): Promise<void> {
  const unknown = new mongo.MongoClient(`mongodb://localhost:${port}/?directConnection=true`, {
    ...options,
    serverSelectionTimeoutMS: 1_000,
  });
  try {
    const db = unknown.db('admin');
    const set = {
      _id: 'rs0',
      members: [{ _id: 0, host: `localhost:${port}` }],
      settings: { electionTimeoutMillis: 1_000 },
    };
    await db.command({ replSetInitiate: set }).catch((error) => {
      if (error.codeName !== 'AlreadyInitialized' && error.codeName !== 'Unauthorized') throw error;
    });
    await eventually(async () => expect((await db.command({ hello: 1 })).isWritablePrimary).toBe(true));
    await db.command({ createUser: 'root', pwd: password, roles: ['root'] });
  } finally {
    await unknown.close();
  }
  const root = new mongo.MongoClient(`mongodb://root:${password}@localhost:${port}/?directConnection=true`, options);
  try {
    for (const { database, command } of commands) await root.db(database).command(command);
  } finally {
    await root.close();
  }
}
