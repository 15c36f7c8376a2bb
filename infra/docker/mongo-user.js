// Creates the product's account. It may use only its own database, and may not change or remove entries of the audit log.
// The MongoDB image runs this once, on an empty volume. Run it again after an upgrade, for new collections; it asks for the
// password that `docker compose exec mongo cat /run/lightbox/mongo/root.password` shows:
//   docker compose exec mongo mongosh --host mongo --tls --tlsCAFile /run/lightbox/ca/ca.pem -u root /docker-entrypoint-initdb.d/10-lightbox.js
const lightbox = db.getSiblingDB('lightbox');
const change = ['update', 'remove', 'dropIndex', 'collMod'];
const changed = `
  analyses
  analysisversions
  annotations
  appsettinghistory
  appsettings
  blackouts
  blobs.chunks
  blobs.files
  cards
  carers
  ceremonies
  codes
  consents
  conversations
  counters
  decoys
  dicomnodes
  drawings
  emergencies
  events
  guestlinks
  idempotencies
  identities
  imagemetadata
  imagerequests
  invites
  legalholds
  looks
  messages
  notifications
  operations
  passkeys
  photos
  positions
  previews
  pushsubscriptions
  reminders
  renderings
  reports
  scimaccounts
  scimtokens
  secrets
  sentmails
  sessions
  shares
  studies
  tasks
  tombstones
  totps
  uploads
  usages
  usernameholds
  users
  voices
  webhookdeliveries
  webhooks
`
  .trim()
  .split(/\s+/);
const on = (collection, actions) => ({ resource: { db: 'lightbox', collection }, actions });

const rights = {
  privileges: [
    // These rights apply to every collection, also those of the audit log.
    on('', [
      'find',
      'changeStream',
      'insert',
      'createCollection',
      'createIndex',
      'listCollections',
      'listIndexes',
      'collStats',
      'dbStats',
    ]),
    ...changed.map((collection) => on(collection, change)),
    // Entries of `auditlogs` are only inserted. Its signed heads are updated, and receipts are removed when they are processed.
    on('auditheads', ['update']),
    on('auditruns', ['update']),
    on('auditreceipts', ['remove']),
  ],
  roles: [],
};

if (lightbox.getRole('lightbox')) lightbox.updateRole('lightbox', rights);
else lightbox.createRole({ role: 'lightbox', ...rights });

if (lightbox.getUser('lightbox')) lightbox.updateUser('lightbox', { roles: ['lightbox'] });
else lightbox.createUser({ user: 'lightbox', pwd: process.env.LIGHTBOX_DB_PASSWORD, roles: ['lightbox'] });
