// The product's own account, which may touch its own database alone, and may not change or remove what the audit log holds.
// Run once by the MongoDB image, on an empty volume. Run it again after an upgrade, for collections that are new:
//   docker compose exec mongo mongosh --host mongo --tls --tlsCAFile /run/lightbox/ca/ca.pem -u root /docker-entrypoint-initdb.d/10-lightbox.js
const lightbox = db.getSiblingDB('lightbox');
const change = ['update', 'remove', 'dropIndex', 'collMod'];
const on = (collection, actions) => ({ resource: { db: 'lightbox', collection }, actions });

const rights = {
  privileges: [
    // Every collection, those of the audit log too.
    on('', [
      'find',
      'insert',
      'createCollection',
      'createIndex',
      'listCollections',
      'listIndexes',
      'collStats',
      'dbStats',
    ]),
    ...[
      ...['analyses', 'appsettinghistory', 'appsettings', 'blobs.chunks', 'blobs.files', 'codes', 'conversations'],
      ...[
        'counters',
        'decoys',
        'events',
        'idempotencies',
        'imagemetadata',
        'messages',
        'notifications',
        'positions',
        'previews',
      ],
      ...[
        'passkeys',
        'ceremonies',
        'pushsubscriptions',
        'sentmails',
        'sessions',
        'shares',
        'tasks',
        'tombstones',
        'totps',
        'usages',
      ],
      ...['usernameholds', 'users'],
    ].map((collection) => on(collection, change)),
    // The log itself, `auditlogs`, is only added to; its signed heads move on, and receipts go when they are taken up.
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
