import type { ImageKind } from '@lightbox/contract/images/names.js';
import { bool, date, type Id, id, ObjectId, schemaOf, string } from './fields.js';

/**
 * The card of an image, or of a study, in one person's gallery: the row of the person's lists and searches
 * (`access/cards.ts` keeps it). A person who may not open the image has no words, patient and modalities on the card, so
 * no search finds it by them.
 */
export interface CardDoc {
  _id: Id;
  person: Id;
  /** The image, or the one that stands for the study in this person's lists. */
  image: Id;
  study?: Id;
  /** True on the owner's card. */
  own: boolean;
  /** False on the owner's card of an image that nobody else sees. */
  shared: boolean;
  /** The owner's: time of the upload. A recipient's: time of the newest share with them. */
  at: Date;
  kind: ImageKind;
  /** `YYYY-MM-DD`: of the study, else of the upload. */
  day: string;
  /** True while a live share is not verified: the person's own, or on the owner's card any. */
  waiting: boolean;
  /** True while such a share is locked. */
  locked: boolean;
  /** The first end of these shares. */
  endsAt?: Date;
  /** Words of the caption, of the study's title and of the captions of its pictures, for prefix search (`withTerm`). */
  words: string[];
  modalities: string[];
  patient?: Id;
  /** Words of the patient's name, as `words`. */
  names?: string[];
}

const own = { partialFilterExpression: { own: true } };

export const card = schemaOf<CardDoc>({
  person: id,
  image: id,
  study: ObjectId,
  own: bool,
  shared: bool,
  at: date,
  kind: string,
  day: string,
  waiting: bool,
  locked: bool,
  endsAt: Date,
  words: [String],
  modalities: [String],
  patient: ObjectId,
  names: { type: [String], default: undefined },
})
  .index({ image: 1, person: 1 }, { unique: true })
  .index({ study: 1 }, { partialFilterExpression: { study: { $exists: true } } })
  // The cards of one person, in order; by a word of the texts or of the patient's name; of a patient.
  .index({ person: 1, shared: 1, at: -1, _id: -1 })
  .index({ person: 1, words: 1 })
  .index({ person: 1, names: 1 })
  .index({ person: 1, patient: 1, at: -1, _id: -1 })
  // Their few cards of a rare kind, modality or day.
  .index({ person: 1, shared: 1, kind: 1, at: -1, _id: -1 })
  .index({ person: 1, shared: 1, modalities: 1, at: -1, _id: -1 })
  .index({ person: 1, shared: 1, day: 1, at: -1, _id: -1 })
  // Their few cards in a state that the search knows.
  .index({ waiting: 1, person: 1, at: -1, _id: -1 }, { partialFilterExpression: { waiting: true } })
  .index({ locked: 1, person: 1, at: -1, _id: -1 }, { partialFilterExpression: { locked: true } })
  .index({ person: 1, endsAt: 1 }, { partialFilterExpression: { endsAt: { $exists: true } } })
  // The same of all images, for administrators: each image has one card of its owner.
  .index({ shared: 1, at: -1, _id: -1 }, own)
  .index({ words: 1 }, own)
  .index({ names: 1 }, own)
  .index({ patient: 1, at: -1, _id: -1 }, own)
  .index({ shared: 1, kind: 1, at: -1, _id: -1 }, own)
  .index({ shared: 1, modalities: 1, at: -1, _id: -1 }, own)
  .index({ shared: 1, day: 1, at: -1, _id: -1 }, own)
  // The few cards of all images that administrators look for by state.
  .index({ endsAt: 1 }, own)
  .index({ waiting: 1, at: -1, _id: -1 }, { partialFilterExpression: { own: true, waiting: true } })
  .index({ locked: 1, at: -1, _id: -1 }, { partialFilterExpression: { own: true, locked: true } });
