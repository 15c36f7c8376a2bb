/**
 * Thrown for a dependency that has no error class of its own: a mail server, an S3 server, a renderer. It is apart from the
 * errors of the database, because the renderer has no client of one.
 */
export class PartAway extends Error {
  override name = 'PartAway';
}
