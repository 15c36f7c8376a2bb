// Initiates the replica set the first time. Afterwards MongoDB is healthy when it accepts writes. `mongosh --nodb` runs this
// file, so that the password is read here and is not an argument of a process.
const host = process.env.MONGO_HOST ?? 'mongo:27017';
const address = `${host}/admin?directConnection=true&tls=true&tlsCAFile=/run/lightbox/ca/ca.pem`;
const anybody = connect(`mongodb://${address}`);
const state = anybody.hello();
if (!state.setName) {
  const file = process.env.MONGO_INITDB_ROOT_PASSWORD_FILE;
  const password = encodeURIComponent(require('node:fs').readFileSync(file, 'utf8').trim());
  const root = connect(`mongodb://root:${password}@${address}`);
  root.adminCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
}
quit(state.isWritablePrimary ? 0 : 1);
