/** A backup, a restore or an archive that does not happen, or is not whole. The message is for people. */
export class Refused extends Error {
  override name = 'Refused';
}
