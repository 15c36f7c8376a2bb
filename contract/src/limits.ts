/** Every limit, delay and page size of the product, with its unit. One place: server, client, tests and texts read it here. */
export const limits = {
  /** Digits of every one-time code. */
  codeDigits: 6,
  codeTries: 5,
  /** Minutes a sign-in or reset code, and the verification token, live. */
  codeMinutes: 10,
  /** Days a permanent share waits for its code. */
  standingCodeDays: 30,
  /** Seconds that one code of an authenticator app stands for (RFC 6238), and how many codes before and after it count. */
  totpSeconds: 30,
  totpWindow: 1,
  recoveryCodes: 10,
  /** Minutes in which somebody who has proven themself need not do it again. */
  stepUpMinutes: 15,
  /** Hours in which the link of a mail takes back a change of sign-in. */
  notMeHours: 72,
  /** Minutes a challenge for a passkey lives. */
  ceremonyMinutes: 10,
  passkeys: 20,
  passkeyNameLength: 60,
  /** Of the base64url that a credential's id is; WebAuthn ends at 1,023 bytes. */
  passkeyIdLength: 1364,
  accessTokenMinutes: 15,
  sessionIdleMinutes: 30,
  sessionHours: 12,
  /** Seconds the previous refresh cookie still gives the same successor. */
  refreshGraceSeconds: 30,
  /** Bytes of the file itself. */
  uploadBytes: 10 * 1024 * 1024,
  uploadBytesMax: 512 * 1024 * 1024,
  /** What one account may own, unless a setting says otherwise. */
  quotaFiles: 100_000,
  quotaBytes: 200 * 1024 ** 3,
  megapixels: 50,
  /** Decoded bytes of one DICOM frame. */
  dicomFrameBytes: 200 * 1024 * 1024,
  previewPixels: 512,
  jsonBytes: 100 * 1024,
  socketFrameBytes: 64 * 1024,
  /** Open at once for one person, on each gateway: tabs and devices, not a flood. */
  socketsPerUser: 20,
  /** Open at once on each gateway; further clients are asked to come back. */
  socketsPerGateway: 10_000,
  captionLength: 200,
  messageLength: 4000,
  settingLength: 2000,
  /** Days after which a chat no longer makes a patient known to a provider. */
  tieDays: 365,
  /** Days in which a registration of an address that has an account is answered as if it had made one. */
  decoyDays: 30,
  /** Days after a sign-in in which its address counts as the account's own. */
  knownPlaceDays: 30,
  passwordMin: 8,
  passwordMax: 128,
  shareHours: 24,
  shareHoursMax: 720,
  pageLimit: 10,
  pageLimitMax: 100,
  chatLimit: 50,
  chatLimitMax: 200,
  /** Totals are exact up to here. */
  exactTotal: 1000,
  /** Browsers that one account is notified in; the one that was seen last the longest ago leaves. */
  pushSubscriptions: 10,
  pushEndpointLength: 1000,
  /** Days after which a browser that was not seen again is forgotten. */
  pushDays: 90,
  /** Seconds in which further messages to the same person make no further push. */
  pushMessageSeconds: 30,
  /** Days after "Not now" in which nobody is asked again. */
  pushAskAgainDays: 30,
  idempotencyHours: 24,
  /** Milliseconds before the redirects that the screens promise. */
  redirectAfterLogin: 1000,
  redirectAfterVerification: 2000,
  toastMs: 5000,
  /** Beside the throttles of calls (`throttles.ts`). */
  throttle: {
    /** Of any kind, on one socket. */
    socketEventsPerMinute: 600,
  },
} as const;
