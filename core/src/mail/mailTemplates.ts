/** The mails that follow from no event. People choose if they get them. */
export const chosenMails = ['unreadMessages', 'somethingNew', 'digest'] as const;

/** The mails that an event asks for. They always go. */
export const eventMails = [
  'verificationCode',
  'resetCode',
  'imageShared',
  'invited',
  'guestLink',
  'imageRequest',
  'registrationReceived',
  'emergencyOpened',
  'emergencyQuestioned',
  'carerNamed',
  'carerAccepted',
  'carerEnded',
  'accountApproved',
  'approvalUndone',
  'accountRejected',
  'passwordChanged',
  'wrongPasswords',
  'wrongCodes',
  'alreadyHaveAccount',
  'roleChanged',
  'totpOn',
  'totpOff',
  'passkeyAdded',
  'passkeyRemoved',
  'recoveryCodes',
  'tokenCreated',
  'signOnLinked',
  'signOnUnlinked',
] as const;
export type EventMail = (typeof eventMails)[number];

/** Every mail that the product sends. Texts: `workers/src/mail/templates.ts`. */
export const mailTemplates = [...eventMails, ...chosenMails] as const;
export type MailTemplate = (typeof mailTemplates)[number];
