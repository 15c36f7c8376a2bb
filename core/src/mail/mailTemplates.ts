/** Every mail that the product sends. Texts: `workers/src/mail/templates.ts`. */
export const mailTemplates = [
  'verificationCode',
  'resetCode',
  'imageShared',
  'invited',
  'guestLink',
  'registrationReceived',
  'accountApproved',
  'approvalUndone',
  'accountRejected',
  'passwordChanged',
  'wrongPasswords',
  'alreadyHaveAccount',
  'unreadMessages',
  'roleChanged',
  'totpOn',
  'totpOff',
  'passkeyAdded',
  'passkeyRemoved',
  'recoveryCodes',
] as const;
export type MailTemplate = (typeof mailTemplates)[number];
