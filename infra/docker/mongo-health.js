// Makes MongoDB a replica set the first time; afterwards it is well when it takes writes. Run by `mongosh --nodb`, so that the
// password is read here and stands among nobody's arguments.
const address = 'mongo:27017/admin?directConnection=true&tls=true&tlsCAFile=/run/lightbox/ca/ca.pem';
const anybody = connect(`mongodb://${address}`);
const state = anybody.hello();
if (!state.setName) {
  const password = encodeURIComponent(process.env.MONGO_INITDB_ROOT_PASSWORD);
  const root = connect(`mongodb://root:${password}@${address}`);
  root.adminCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] } });
}
quit(state.isWritablePrimary ? 0 : 1);
