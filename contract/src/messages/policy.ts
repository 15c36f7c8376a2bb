import { type ImageFacts, type ImageViewer, imageRules, opensAnyForm } from '../images/policy.js';
import type { AttachingOutcome, Attachment } from './calls.js';

/** A person as a party of a chat. */
export interface Party {
  /** False when the person has turned read receipts off. */
  readReceipts: boolean;
}

export const messageRules = {
  /**
   * True when the sender of messages learns that the recipient has read them. It takes both: a person who does not
   * report their reading does not see that of others either.
   */
  seesReading: (sender: Party, recipient: Party): boolean => sender.readReceipts && recipient.readReceipts,

  /** True for the two people of the chat that a voice message belongs to, and for nobody else. */
  hear: (reader: { id: string }, voice: { sender: string; recipient: string }): boolean =>
    reader.id === voice.sender || reader.id === voice.recipient,

  /** Returns the access of a reader of a message to an attached image, by the rules of images alone. */
  access: (reader: ImageViewer, image: ImageFacts): Attachment['access'] =>
    opensAnyForm(reader, image) ? 'open' : imageRules.see(reader, image) ? 'locked' : 'none',

  /**
   * Returns the outcome of attaching an image that the sender may open. A recipient who knows of the image needs
   * nothing more. Otherwise the message shares it, if the sender may do so, and is refused if not.
   */
  attaching: (
    sender: { viewer: ImageViewer; image: ImageFacts },
    recipient: { viewer: ImageViewer; image: ImageFacts },
  ): AttachingOutcome => {
    if (!imageRules.open(sender.viewer, sender.image)) return 'refuse';
    if (imageRules.see(recipient.viewer, recipient.image)) return 'attach';
    return imageRules.share(sender.viewer, sender.image) ? 'share' : 'refuse';
  },
};
