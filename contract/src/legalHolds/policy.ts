/** The people whom the records of a deletion name: the patient of an image, both sides of a message, an account itself. */
export interface DeletionFacts {
  named: readonly string[];
}

/**
 * The one rule of every deletion, whoever asks for it and whatever it deletes: nothing goes that names a patient under a
 * legal hold. `held` are the patients whose hold lasts.
 */
export const mayBeDeleted = ({ named }: DeletionFacts, held: ReadonlySet<string>): boolean =>
  !named.some((id) => held.has(id));
