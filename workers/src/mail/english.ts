import { limits } from '@lightbox/contract/limits.js';
import { type NoticeGroup, noticeGroups } from '@lightbox/contract/notifications/choices.js';
import { throttles } from '@lightbox/contract/throttles.js';
import type { MailFacts, MailWords, Templates } from './mailText.js';

const minutes = `The code is valid for ${limits.codeMinutes} minutes.`;
const notMe = `If this was not you, open this link within ${limits.notMeHours} hours. It logs out every device and undoes the change.`;
const ignore = 'Didn’t ask for a code? You can ignore this email. Nobody can log in without the code.';
const undo = 'This was not me';
const logIn = 'Log in';

export const words: MailWords = {
  locale: 'en-GB',
  dir: 'ltr',
  code: 'Code',
  sharingId: 'Sharing id',
  share: (mark) => `Share ${mark}`,
  ends: (when) => `Access ends: ${when}.`,
  noEnd: (codeEnds) => `Access has no end date. Enter the code before: ${codeEnds}.`,
  phone: (number) => `Phone: ${number}`,
  sentBy: 'Sent by Lightbox. Please do not reply to this email.',
  choose: 'Choose which emails you get, or turn them off',
};

const groups: Record<NoticeGroup, readonly [one: string, many: string]> = {
  shares: ['share', 'shares'],
  images: ['notice about images', 'notices about images'],
  messages: ['message', 'messages'],
  account: ['notice about your account', 'notices about your account'],
  administration: ['notice for administrators', 'notices for administrators'],
};
/** The numbers of a digest: “3 shares, 2 messages”. */
const counted = (counts: MailFacts['counts'] = {}): string =>
  noticeGroups
    .flatMap((group) => (counts[group] ? `${counts[group]} ${groups[group][counts[group] === 1 ? 0 : 1]}` : []))
    .join(', ');

export const english: Templates = {
  verificationCode: ({ code }) => ({
    subject: 'Your verification code',
    parts: ['Enter this code to continue.', { code }, minutes, ignore],
  }),
  resetCode: ({ code, link }) => ({
    subject: 'Your password reset code',
    parts: [
      'Enter this code to choose a new password, or open the link.',
      { code },
      { link, act: 'Choose a new password' },
      minutes,
      'Didn’t ask for a code? You can ignore this email. Your password does not change.',
    ],
  }),
  imageShared: ({ shares, link }, { name }) => ({
    subject: 'An image was shared with you',
    parts: [
      ...(shares.length === 1
        ? [
            name ? `${name} shared an image with you.` : 'An image was shared with you.',
            'Open the link, log in and enter the code.',
            { link, act: 'See the image' },
          ]
        : [
            name ? `${name} shared images with you.` : 'Images were shared with you.',
            `You have ${shares.length} images waiting.`,
            'Open the link and log in. Then enter the code of each image: image and code have the same mark.',
            { link, act: 'See the images' },
          ]),
      ...shares.map((share) => ({ share })),
      shares.length === 1 ? 'The code works for your account only.' : 'The codes work for your account only.',
    ],
  }),
  invited: ({ link }, { name }) => ({
    subject: 'You were invited',
    parts: [
      name ? `${name} wants to show you a medical image.` : 'Someone wants to show you a medical image.',
      'Open the link and register with this email address. The image waits for you there.',
      { link, act: 'Register' },
      `The invitation ends in ${limits.invitationDays} days. The link works for this email address only.`,
      'Don’t know what this is about? You can ignore this email.',
    ],
  }),
  guestLink: ({ link }, { name }) => ({
    subject: 'An image was shared with you',
    parts: [
      name ? `${name} shared a medical image with you.` : 'Someone shared a medical image with you.',
      'Open the link to see the image. You need no account.',
      { link, act: 'Open the image' },
      'The page asks for a code. The sender tells you the code another way, for example by phone.',
    ],
  }),
  imageRequest: ({ link }, { name }) => ({
    subject: 'You were asked for an image',
    parts: [
      name ? `${name} asks you for a medical image.` : 'Someone asks you for a medical image.',
      'Open the link to see who asks, and to send the files. You need no account.',
      { link, act: 'Send an image' },
      'The link works once. The files are encrypted and held for the person who asks.',
      'Don’t know what this is about? You can ignore this email.',
    ],
  }),
  registrationReceived: (_, { name }) => ({
    subject: 'We received your registration',
    parts: [
      name ? `You registered as a health provider at ${name}.` : 'You registered as a health provider.',
      'An administrator will check your license. We’ll email you when they decide. Until then you cannot log in.',
      'Didn’t register? You can ignore this email.',
    ],
  }),
  emergencyOpened: ({ link, reviews }) =>
    reviews
      ? {
          subject: 'An emergency access to review',
          parts: [
            'A health provider opened the images of a patient in an emergency.',
            'Open the link to see who it was and why. Then approve or question the access.',
            { link, act: 'Review the access' },
          ],
        }
      : {
          subject: 'Your images were opened in an emergency',
          parts: [
            'A health provider opened your images in an emergency, for one hour at most.',
            'Open the link and log in to see who it was and why.',
            { link, act: 'See who it was' },
            'An administrator checks every emergency access.',
          ],
        },
  emergencyQuestioned: ({ link }) => ({
    subject: 'A question about your emergency access',
    parts: [
      'An administrator has a question about an emergency access of yours.',
      'Open the link to read the question. You can answer once.',
      { link, act: 'Read the question' },
    ],
  }),
  carerNamed: ({ link }, { name }) => ({
    subject: 'Somebody asks for your help',
    parts: [
      name ? `A patient of ${name} named you as a carer.` : 'A patient named you as a carer.',
      'A carer sees medical images of the patient, and can only look. Open the link and log in to see who asks. Then accept or decline.',
      { link, act: 'See who asks' },
      `You can answer for ${limits.carerDays} days.`,
    ],
  }),
  carerAccepted: ({ link }) => ({
    subject: 'Your carer accepted',
    parts: [
      'The person whom you named as a carer accepted. They now see the images that you have opened.',
      'You can end this at any time.',
      { link, act: 'See your carers' },
    ],
  }),
  carerEnded: ({ link }) => ({
    subject: 'The access of a carer ended',
    parts: ['The access of a carer ended, or will not begin.', { link, act: 'See your carers' }],
  }),
  accountApproved: ({ link }) => ({
    subject: 'Your account was approved',
    parts: ['An administrator approved your account. You can log in now.', { link, act: logIn }],
  }),
  approvalUndone: () => ({
    subject: 'Your account is under review again',
    parts: [
      'An administrator took back the approval of your account. You cannot log in for now.',
      'We’ll email you when they decide.',
    ],
  }),
  accountRejected: ({ reason }) => ({
    subject: 'Your account was not approved',
    parts: ['An administrator reviewed your account and did not approve it.', ...(reason ? [`Reason: ${reason}`] : [])],
  }),
  passwordChanged: ({ link }) => ({
    subject: 'Your password was changed',
    parts: ['Your password was changed. We logged out all your other devices.', notMe, { link, act: undo }],
  }),
  wrongPasswords: ({ link }) => ({
    subject: 'Many wrong passwords for your account',
    parts: [
      `Someone entered ${throttles.loginFailures.points} wrong passwords for your account. They did not get in.`,
      'Every new try now has a waiting time. If you cannot log in, choose a new password.',
      { link, act: 'Choose a new password' },
    ],
  }),
  wrongCodes: ({ link }) => ({
    subject: 'Many wrong login codes for your account',
    parts: [
      `Someone entered your right password, and then ${throttles.wrongCodes.points} wrong codes. They did not get in.`,
      'If it was not you, someone knows your password. Choose a new one now.',
      { link, act: 'Choose a new password' },
    ],
  }),
  alreadyHaveAccount: ({ link }) => ({
    subject: 'You already have an account',
    parts: [
      'Someone tried to register with your email address. It already has an account. Nothing was changed.',
      'If it was you, log in or choose a new password.',
      { link, act: logIn },
    ],
  }),
  roleChanged: ({ link }) => ({
    subject: 'Your role was changed',
    parts: [
      'An administrator changed your role. We logged you out everywhere.',
      'Log in to see your new pages.',
      { link, act: logIn },
    ],
  }),
  totpOn: ({ link }) => ({
    subject: 'An authenticator app was added to your account',
    parts: [
      'An authenticator app was set up for your account. From now on, you log in with its codes, not with codes by email.',
      notMe,
      { link, act: undo },
    ],
  }),
  totpOff: ({ link }) => ({
    subject: 'The authenticator app was removed from your account',
    parts: ['You or an administrator removed the authenticator app from your account.', notMe, { link, act: undo }],
  }),
  passkeyAdded: ({ link }) => ({
    subject: 'A passkey was added to your account',
    parts: ['A passkey was added. It can log in to your account without a password.', notMe, { link, act: undo }],
  }),
  passkeyRemoved: ({ link }) => ({
    subject: 'A passkey was removed from your account',
    parts: ['A passkey was removed. It can no longer log in to your account.', notMe, { link, act: undo }],
  }),
  recoveryCodes: ({ link }) => ({
    subject: 'Your recovery codes were renewed',
    parts: ['You have new recovery codes. Your old codes no longer work.', notMe, { link, act: undo }],
  }),
  tokenCreated: ({ link }) => ({
    subject: 'A personal token was created for your account',
    parts: [
      'A program can now act for you with this token. You can end it in your profile, under Security.',
      notMe,
      { link, act: undo },
    ],
  }),
  signOnLinked: ({ link }) => ({
    subject: 'A login was linked to your account',
    parts: ['An account at another provider can now log in to your account.', notMe, { link, act: undo }],
  }),
  signOnUnlinked: ({ link }) => ({
    subject: 'A login was unlinked from your account',
    parts: ['An account at another provider can no longer log in to your account.', notMe, { link, act: undo }],
  }),
  unreadMessages: ({ link }) => ({
    subject: 'You have unread messages',
    parts: ['Someone wrote to you. Log in to read the message.', { link, act: 'Read the message' }],
  }),
  somethingNew: ({ link }, { name }) => ({
    subject: 'There is something new for you in Lightbox',
    parts: [
      name ? `There is something new for you from ${name}.` : 'There is something new for you.',
      'Log in to see it.',
      { link, act: logIn },
    ],
  }),
  digest: ({ counts, link }) => ({
    subject: 'Your summary from Lightbox',
    parts: [`You have not read: ${counted(counts)}.`, 'Log in to see more.', { link, act: logIn }],
  }),
};
