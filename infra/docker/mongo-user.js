// Run once by the MongoDB image, on an empty volume: the product's own account, which may touch its own database alone.
db.getSiblingDB('lightbox').createUser({
  user: 'lightbox',
  pwd: process.env.LIGHTBOX_DB_PASSWORD,
  roles: [{ role: 'readWrite', db: 'lightbox' }],
});
