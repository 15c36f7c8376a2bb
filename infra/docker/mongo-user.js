// Creates the product's account. It may use only its own database, and may not change or remove entries of the audit log.
// With LIGHTBOX_BACKUP_PASSWORD it also creates the account `backup`, which may read the whole server and change no record.
// The MongoDB image runs this once, on an empty volume. Run it again before an upgrade, for new collections, and after a
// change of the password: docs/operations/containers.md, Upgrades.
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

// The password is set again too: a new MONGO_PASSWORD counts from the next run of this script.
function setAccount(user, pwd, roles) {
  if (lightbox.getUser(user)) lightbox.updateUser(user, { pwd, roles });
  else lightbox.createUser({ user, pwd, roles });
}
const { LIGHTBOX_DB_PASSWORD, LIGHTBOX_BACKUP_PASSWORD } = process.env;
setAccount('lightbox', LIGHTBOX_DB_PASSWORD, ['lightbox']);
if (LIGHTBOX_BACKUP_PASSWORD) setAccount('backup', LIGHTBOX_BACKUP_PASSWORD, [{ role: 'backup', db: 'admin' }]);
