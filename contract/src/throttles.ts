/** The identities by which a throttle counts. Several parts make one key together. */
export type ThrottlePart =
  /** The client's address; of IPv6 its /64 prefix, which belongs to one customer. */
  | 'address'
  /** The account that calls, or that begins to sign in. */
  | 'caller'
  /** The e-mail address that the call names or mails to, with or without an account. */
  | 'email'
  /** The share that the call names. */
  | 'share'
  /** The device that sends by DICOM; of DICOMweb the personal token, or the session, that stores. */
  | 'device';

interface ThrottleShape {
  per: readonly ThrottlePart[];
  points: number;
  seconds: number;
  /** `calls` counts every call that names the throttle. The other kinds are counted by the code that does them. */
  counts:
    | 'calls'
    | 'failures'
    | 'tries'
    | 'mails'
    | 'runs'
    | 'messages'
    | 'usernames'
    | 'subscriptions'
    | 'people'
    | 'files';
  /**
   * `refused`: 429 with `Retry-After`. `waits`: 429 for a time that doubles. `noMail`: the call succeeds and sends no
   * mail. `notice`: administrators are notified. `upload`: the file counts like the first one of a study. `noHint`: the answer
   * does not say to which share a code belongs. `ownerMail`: the owner of the account is told, once.
   */
  beyond: 'refused' | 'waits' | 'noMail' | 'ownerMail' | 'notice' | 'upload' | 'noHint';
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/** Below 24 days: while Redis is away, a gateway counts with timers of its own, and they reach no further. */
const streak = 20 * day;

/** Every limit on how often an act may be repeated. A call names its throttles (`CallShape.throttles`). */
export const throttles = {
  registration: { per: ['address'], points: 10, seconds: hour, counts: 'calls', beyond: 'refused' },
  registrationMail: { per: ['email'], points: 3, seconds: hour, counts: 'mails', beyond: 'noMail' },
  loginPair: { per: ['email', 'address'], points: 10, seconds: 15 * minute, counts: 'failures', beyond: 'refused' },
  loginAddress: { per: ['address'], points: 50, seconds: 15 * minute, counts: 'failures', beyond: 'refused' },
  /** Counted since the last correct password. */
  loginFailures: { per: ['email'], points: 20, seconds: streak, counts: 'failures', beyond: 'waits' },
  /** The mail about these failures, also counted since the last correct password. */
  guessMail: { per: ['email'], points: 1, seconds: streak, counts: 'mails', beyond: 'noMail' },
  loginTries: { per: ['email'], points: 100, seconds: hour, counts: 'tries', beyond: 'refused' },
  verificationMail: { per: ['caller'], points: 10, seconds: hour, counts: 'mails', beyond: 'refused' },
  /** Wrong codes after a right password, mailed, of an app or for recovery: counted since the last right one. */
  wrongCodes: { per: ['caller'], points: 20, seconds: streak, counts: 'failures', beyond: 'ownerMail' },
  secondFactor: { per: ['caller'], points: 20, seconds: hour, counts: 'failures', beyond: 'refused' },
  /** Sign-ins at providers of single sign-on: each may ask the provider. */
  signOn: { per: ['address'], points: 60, seconds: 15 * minute, counts: 'calls', beyond: 'refused' },
  /** Logout tokens of providers. Many people may leave at once. */
  signOnLogout: { per: ['address'], points: 600, seconds: minute, counts: 'calls', beyond: 'refused' },
  /** New accounts by SCIM: a provider begins with all of its people. */
  scim: { per: ['address'], points: 3000, seconds: hour, counts: 'calls', beyond: 'refused' },
  reset: { per: ['address'], points: 30, seconds: 15 * minute, counts: 'calls', beyond: 'refused' },
  resetPair: { per: ['email', 'address'], points: 3, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** The window is the lifetime of a code, so the newest mailed code works until the next mail is allowed. */
  resetMail: { per: ['email'], points: 2, seconds: 10 * minute, counts: 'mails', beyond: 'noMail' },
  resetCode: { per: ['email'], points: 15, seconds: hour, counts: 'failures', beyond: 'refused' },
  ownPassword: { per: ['caller'], points: 10, seconds: 15 * minute, counts: 'failures', beyond: 'refused' },
  notMe: { per: ['address'], points: 30, seconds: hour, counts: 'calls', beyond: 'refused' },
  securityChange: { per: ['caller'], points: 20, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** Downloads of all of one's own data. */
  ownData: { per: ['caller'], points: 5, seconds: day, counts: 'calls', beyond: 'refused' },
  username: { per: ['caller'], points: 10, seconds: hour, counts: 'usernames', beyond: 'refused' },
  photo: { per: ['caller'], points: 20, seconds: hour, counts: 'calls', beyond: 'refused' },
  staffMail: { per: ['caller'], points: 300, seconds: hour, counts: 'calls', beyond: 'refused' },
  upload: { per: ['caller'], points: 120, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** Each part of a resumable upload may write a whole chunk again, however short it is. */
  uploadParts: { per: ['caller'], points: 5_000, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** A study has hundreds of files and counts as one upload: further files of a study give their point back. */
  studyFiles: { per: ['caller'], points: 5_000, seconds: hour, counts: 'files', beyond: 'upload' },
  /**
   * Files that devices send by DICOM or DICOMweb. A scanner makes fewer than fifteen pictures a second in its busiest
   * hour; only a device that runs wild, or an archive that moves, reaches this. A study counts once, as for people.
   */
  deviceStudies: { per: ['device'], points: 1_000, seconds: hour, counts: 'files', beyond: 'refused' },
  deviceFiles: { per: ['device'], points: 60_000, seconds: hour, counts: 'files', beyond: 'upload' },
  study: { per: ['caller'], points: 120, seconds: hour, counts: 'calls', beyond: 'refused' },
  share: { per: ['caller'], points: 120, seconds: hour, counts: 'calls', beyond: 'refused' },
  /**
   * All mails about images to one person: about shares, and invitations, guest links and requests for images to their address.
   * They are counted by the address, because a count by account would tell whether the address has one. Beyond it, a new share sends no mail and waits in the app; resending a code is refused.
   */
  shareMail: { per: ['email'], points: 10, seconds: hour, counts: 'mails', beyond: 'noMail' },
  /** Invitations of addresses, each once for every act. */
  invite: { per: ['caller'], points: 60, seconds: hour, counts: 'mails', beyond: 'refused' },
  /** Beyond it, a new invitation sends no mail; sending it again is refused. */
  inviteMail: { per: ['email'], points: 5, seconds: day, counts: 'mails', beyond: 'noMail' },
  /** Links of invitations that somebody opens. */
  invitation: { per: ['address'], points: 30, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** New codes that a recipient asks for, of one share. */
  shareCodeWait: { per: ['caller', 'share'], points: 1, seconds: minute, counts: 'mails', beyond: 'refused' },
  shareCodes: { per: ['caller', 'share'], points: 5, seconds: day, counts: 'mails', beyond: 'refused' },
  /** Wrong codes of a recipient that are compared with the codes of their other shares. */
  otherShares: { per: ['caller'], points: 10, seconds: day, counts: 'failures', beyond: 'noHint' },
  /** Questions about guest links, and codes for them. Five wrong codes also lock the link itself. */
  guestLink: { per: ['address'], points: 60, seconds: 15 * minute, counts: 'calls', beyond: 'refused' },
  /** Beyond it, a new guest link is made but not mailed. */
  guestMail: { per: ['email'], points: 5, seconds: hour, counts: 'mails', beyond: 'noMail' },
  request: { per: ['caller'], points: 60, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** Beyond it, a new request is made but not mailed. */
  requestMail: { per: ['email'], points: 5, seconds: hour, counts: 'mails', beyond: 'noMail' },
  /** Acts of a sender on what has arrived, which may be thousands of files. */
  sending: { per: ['caller'], points: 60, seconds: hour, counts: 'calls', beyond: 'refused' },
  emergency: { per: ['caller'], points: 5, seconds: day, counts: 'calls', beyond: 'refused' },
  /** Naming a carer: it mails a person, and an answer to it may tell of an account. */
  carer: { per: ['caller'], points: 10, seconds: day, counts: 'calls', beyond: 'refused' },
  carerAnswer: { per: ['caller'], points: 60, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** Frames that the server draws for a viewer that cannot. */
  rendering: { per: ['caller'], points: 240, seconds: minute, counts: 'runs', beyond: 'refused' },
  /** Addresses for another viewer. */
  otherViewer: { per: ['caller'], points: 30, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** Layers of marks that the viewer saves by itself. */
  annotation: { per: ['caller'], points: 120, seconds: minute, counts: 'calls', beyond: 'refused' },
  analysis: { per: ['caller'], points: 30, seconds: hour, counts: 'runs', beyond: 'refused' },
  /** Reports as PDF documents that a worker makes. */
  report: { per: ['caller'], points: 60, seconds: hour, counts: 'runs', beyond: 'refused' },
  consent: { per: ['caller'], points: 60, seconds: hour, counts: 'calls', beyond: 'refused' },
  message: { per: ['caller'], points: 100, seconds: minute, counts: 'messages', beyond: 'refused' },
  /** Messages whose images the recipient gets access to by them. */
  attachedShare: { per: ['caller'], points: 120, seconds: hour, counts: 'messages', beyond: 'refused' },
  /** Voice messages. */
  voice: { per: ['caller'], points: 60, seconds: hour, counts: 'calls', beyond: 'refused' },
  chatSearch: { per: ['caller'], points: 120, seconds: minute, counts: 'calls', beyond: 'refused' },
  pushSubscription: { per: ['caller'], points: 60, seconds: hour, counts: 'subscriptions', beyond: 'refused' },
  /** New addresses, which the server resolves, and new secrets. */
  webhook: { per: ['caller'], points: 30, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** Test events, and deliveries that are sent again. */
  webhookSend: { per: ['caller'], points: 120, seconds: hour, counts: 'calls', beyond: 'refused' },
  people: { per: ['caller'], points: 500, seconds: hour, counts: 'people', beyond: 'notice' },
} as const satisfies Record<string, ThrottleShape>;

export type ThrottleName = keyof typeof throttles;
export const throttleNames = Object.keys(throttles) as ThrottleName[];

/**
 * Returns the seconds that the next sign-in must wait after so many wrong passwords since the last correct one; 0 for
 * no wait.
 */
export function loginWaitSeconds(failures: number): number {
  const beyond = failures - throttles.loginFailures.points;
  return beyond < 0 ? 0 : Math.min(2 ** (beyond + 1), minute);
}
