import mongoose, { type Connection } from 'mongoose';
import type { Config } from '../config/config.js';

/** Writes are acknowledged by a majority unless a caller says otherwise: what was acknowledged survives a failover. */
export async function connectDatabase(config: Pick<Config, 'mongodbUri'>): Promise<Connection> {
  const connection = mongoose.createConnection(config.mongodbUri, {
    writeConcern: { w: 'majority', wtimeoutMS: 10_000 },
    serverSelectionTimeoutMS: 5_000,
    socketTimeoutMS: 60_000,
    maxPoolSize: 30,
    autoIndex: false,
    autoCreate: false,
  });
  return connection.asPromise();
}
