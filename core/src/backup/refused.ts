/** A backup or a restore that does not happen, or is not whole. The message is for people. */
export class Refused extends Error {
  override name = 'Refused';
}
