// Initiates the replica set the first time. Afterwards MongoDB is healthy when it accepts writes. `mongosh --nodb` runs this
// file, so that the password is read here and is not an argument of a process.
const address = 'mongo:27017/admin?directConnection=true&tls=true&tlsCAFile=/run/lightbox/ca/ca.pem';
const anybody = connect(`mongodb://${address}`);
const state = anybody.hello();
if (!state.setName) {
  const password = encodeURIComponent(process.env.MONGO_INITDB_ROOT_PASSWORD);
  const root = connect(`mongodb://root:${password}@${address}`);
  root.adminCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] } });
}
quit(state.isWritablePrimary ? 0 : 1);
