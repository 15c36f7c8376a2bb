/** A command does not do its work, or its result is not whole. The message is for people. */
export class Refused extends Error {
  override name = 'Refused';
}
