/** By what a throttle counts. Several parts make one key together. */
export type ThrottlePart =
  /** The client's address; of IPv6 its /64, which is one customer's. */
  | 'address'
  /** The account that calls, or that begins to sign in. */
  | 'caller'
  /** The e-mail address that the call names, whether or not it has an account. */
  | 'email'
  /** The account that is mailed. */
  | 'recipient';

interface ThrottleShape {
  per: readonly ThrottlePart[];
  points: number;
  seconds: number;
  /** `calls` are counted for every call that names the throttle; all else is counted where it happens. */
  counts: 'calls' | 'failures' | 'tries' | 'mails' | 'runs' | 'messages' | 'usernames' | 'subscriptions' | 'people';
  /** `refused`: 429 with `Retry-After`. `waits`: 429 for a time that doubles. `noMail`: it is done, and no mail goes out. `notice`: administrators are told. */
  beyond: 'refused' | 'waits' | 'noMail' | 'notice';
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/** What gateways count by themselves while Redis is away is kept by timers, which reach no further than 24 days. */
const streak = 20 * day;

/** Every limit on how often something may be done. A call names those that it takes (`CallShape.throttles`). */
export const throttles = {
  registration: { per: ['address'], points: 10, seconds: hour, counts: 'calls', beyond: 'refused' },
  registrationMail: { per: ['email'], points: 3, seconds: hour, counts: 'mails', beyond: 'noMail' },
  loginPair: { per: ['email', 'address'], points: 10, seconds: 15 * minute, counts: 'failures', beyond: 'refused' },
  loginAddress: { per: ['address'], points: 50, seconds: 15 * minute, counts: 'failures', beyond: 'refused' },
  /** Since the last right password. */
  loginFailures: { per: ['email'], points: 20, seconds: streak, counts: 'failures', beyond: 'waits' },
  /** The mail that says so, until then too. */
  guessMail: { per: ['email'], points: 1, seconds: streak, counts: 'mails', beyond: 'noMail' },
  loginTries: { per: ['email'], points: 100, seconds: hour, counts: 'tries', beyond: 'refused' },
  verificationMail: { per: ['caller'], points: 10, seconds: hour, counts: 'mails', beyond: 'refused' },
  secondFactor: { per: ['caller'], points: 20, seconds: hour, counts: 'failures', beyond: 'refused' },
  reset: { per: ['address'], points: 30, seconds: 15 * minute, counts: 'calls', beyond: 'refused' },
  resetPair: { per: ['email', 'address'], points: 3, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** For as long as a code lives: the newest mail works until the next one may go out. */
  resetMail: { per: ['email'], points: 2, seconds: 10 * minute, counts: 'mails', beyond: 'noMail' },
  resetCode: { per: ['email'], points: 15, seconds: hour, counts: 'failures', beyond: 'refused' },
  ownPassword: { per: ['caller'], points: 10, seconds: 15 * minute, counts: 'failures', beyond: 'refused' },
  notMe: { per: ['address'], points: 30, seconds: hour, counts: 'calls', beyond: 'refused' },
  securityChange: { per: ['caller'], points: 20, seconds: hour, counts: 'calls', beyond: 'refused' },
  username: { per: ['caller'], points: 10, seconds: hour, counts: 'usernames', beyond: 'refused' },
  staffMail: { per: ['caller'], points: 300, seconds: hour, counts: 'calls', beyond: 'refused' },
  upload: { per: ['caller'], points: 120, seconds: hour, counts: 'calls', beyond: 'refused' },
  share: { per: ['caller'], points: 120, seconds: hour, counts: 'calls', beyond: 'refused' },
  /** A share that is made beyond it waits in the app; a code that is sent again is refused. */
  shareMail: { per: ['recipient'], points: 10, seconds: hour, counts: 'mails', beyond: 'noMail' },
  analysis: { per: ['caller'], points: 30, seconds: hour, counts: 'runs', beyond: 'refused' },
  message: { per: ['caller'], points: 100, seconds: minute, counts: 'messages', beyond: 'refused' },
  pushSubscription: { per: ['caller'], points: 60, seconds: hour, counts: 'subscriptions', beyond: 'refused' },
  people: { per: ['caller'], points: 500, seconds: hour, counts: 'people', beyond: 'notice' },
} as const satisfies Record<string, ThrottleShape>;

export type ThrottleName = keyof typeof throttles;
export const throttleNames = Object.keys(throttles) as ThrottleName[];

/** Seconds that the next try at a password waits, after so many wrong ones since the last right one; 0 for none. */
export function loginWaitSeconds(failures: number): number {
  const beyond = failures - throttles.loginFailures.points;
  return beyond < 0 ? 0 : Math.min(2 ** (beyond + 1), minute);
}
