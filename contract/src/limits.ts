/** Every limit, delay and page size of the product, with its unit. Server, client, tests and texts read them here. */
export const limits = {
  /** Digits of every one-time code. */
  codeDigits: 6,
  codeTries: 5,
  /** Lifetime of a sign-in or reset code and of the verification token, minutes. */
  codeMinutes: 10,
  /** Days that a permanent share waits for its code. */
  standingCodeDays: 30,
  /**
   * Lifetime of one code of an authenticator app, seconds (RFC 6238), and the number of codes before and after it that
   * count.
   */
  totpSeconds: 30,
  totpWindow: 1,
  recoveryCodes: 10,
  /** Minutes for which a proof of identity (step-up) stays valid. */
  stepUpMinutes: 15,
  /** Hours for which the link of a mail can take back a change of sign-in. */
  notMeHours: 72,
  /** Lifetime of a challenge for a passkey, minutes. */
  ceremonyMinutes: 10,
  passkeys: 20,
  passkeyNameLength: 60,
  /** Characters of a credential's id in base64url; WebAuthn allows at most 1,023 bytes. */
  passkeyIdLength: 1364,
  /** Personal tokens of one account, the length of a name, and the longest lifetime in days. */
  tokens: 20,
  tokenNameLength: 60,
  tokenDays: 365,
  /** Lifetime of a token that opens an image or a study in another viewer, minutes. */
  viewerTokenMinutes: 60,
  accessTokenMinutes: 15,
  sessionIdleMinutes: 30,
  sessionHours: 12,
  /** Seconds for which the previous refresh cookie still gives the same successor. */
  refreshGraceSeconds: 30,
  /** Bytes of one uploaded file, unless a setting says otherwise. */
  uploadBytes: 10 * 1024 * 1024,
  /** Hours after which a resumable upload that is not whole is removed. */
  resumableHours: 24,
  /** Bytes of a profile photo as it is sent, and the pixels of each side as it is shown. */
  photoBytes: 5 * 1024 * 1024,
  photoPixels: 256,
  /** Most bytes of one uploaded file that the setting allows. */
  uploadBytesMax: 512 * 1024 * 1024,
  /** The browser sends larger files in resumable pieces (tus). */
  resumableBytes: 8 * 1024 * 1024,
  /** Bytes of one such piece: whole mebibytes, because the server seals each of them. */
  pieceBytes: 8 * 1024 * 1024,
  /** Files that one browser sends at the same time. */
  uploadsAtOnce: 5,
  /** A zip that the browser opens: files, unpacked bytes, and unpacked bytes for each packed byte. */
  zipEntries: 10_000,
  zipBytes: 4 * 1024 ** 3,
  zipRatio: 250,
  /** Quota of one account, unless a setting says otherwise. */
  quotaFiles: 100_000,
  quotaBytes: 200 * 1024 ** 3,
  megapixels: 50,
  /** Decoded bytes of one DICOM frame. */
  dicomFrameBytes: 200 * 1024 * 1024,
  /** Bytes of a file that are held in memory for its header. A picture is held as a whole. */
  headerBytes: 64 * 1024 * 1024,
  /** Bytes of a deflated DICOM data set (PS3.5 §A.5) when it is unpacked. */
  dicomInflatedBytes: 64 * 1024 * 1024,
  previewPixels: 512,
  /** Longest side of a frame or page that the server draws, pixels. */
  renderedPixels: 2048,
  /** Bytes of the plain frames of one file. Frames of a file with more are only drawn by the server. */
  plainBytes: 1024 ** 3,
  /** Elements of a file that the header table shows. */
  tagRows: 10_000,
  /** Places of a picture that look like printed text. */
  textPlaces: 16,
  /** Rectangles that one copy blacks out. */
  blackRectangles: 200,
  /** Characters of a search in the header table. */
  tagSearchLength: 100,
  /** Seconds for which a call waits until a worker has drawn the file. */
  drawingSeconds: 10,
  /** Seconds for which a call waits for a frame that the server draws. */
  renderingSeconds: 10,
  /** Seconds for which a call waits for a copy with rectangles blacked out. */
  blackOutSeconds: 20,
  /** A study of copies without identity that is not finished by then is deleted. */
  unfinishedCopiesHours: 24,
  /** Minutes for which a look at an image lasts: for so long its frames need no further entry in the audit log. */
  lookMinutes: 60,
  /** Minutes in which further reads of a session belong to the same look, for people who read who looked at an image. */
  sameLookMinutes: 30,
  /** DICOMweb: rows of one answer to a search, at most and by default. */
  dicomRows: 1000,
  dicomRowsDefault: 100,
  /** Studies that one search looks at. */
  dicomStudiesSearched: 5_000,
  /** Files of one request that stores. */
  dicomParts: 5_000,
  /** Devices that may send files by DICOM, and the addresses of each. */
  dicomNodes: 500,
  nodeAddresses: 20,
  /** Seconds without a further file after which a study that a device sends is complete. */
  studyQuietSeconds: 60,
  /** Parts of a request that are no DICOM files: with more of them it is not read to its end. */
  dicomPartsUnreadable: 100,
  /** FHIR: resources of one page, at most and by default. */
  fhirPage: 100,
  fhirPageDefault: 20,
  /** Characters of a value of a search, times that a parameter may be there, and values behind commas that count. */
  fhirValue: 2000,
  fhirRepeats: 10,
  fhirAlternatives: 100,
  jsonBytes: 100 * 1024,
  socketFrameBytes: 64 * 1024,
  /** Open sockets of one person on each gateway: enough for tabs and devices, too few for a flood. */
  socketsPerUser: 20,
  /** Open sockets on each gateway; the gateway asks further clients to come back later. */
  socketsPerGateway: 10_000,
  captionLength: 200,
  /** Characters of the comment of a signed analysis, and of the reason for its withdrawal. */
  signatureComment: 2000,
  withdrawalReason: 500,
  /** Seconds that a call waits for the report that a worker makes. */
  reportSeconds: 20,
  /** Days after which a patient who has not answered is asked for consent again. */
  consentAskDays: 7,
  /** Characters of a search for images, and words of one for images or people. */
  searchLength: 100,
  searchWords: 5,
  /** Months that the gallery offers to jump to. */
  months: 120,
  /** Hours before its end in which a share ends soon. */
  endsSoonHours: 24,
  /** Characters of the reason for an image whose file names another patient. */
  mismatchReasonMin: 3,
  mismatchReasonMax: 500,
  studyTitleLength: 200,
  messageLength: 4000,
  /** Images of one message. */
  messageImages: 10,
  /** Marks of one layer of annotations, and characters of the text at an arrow. */
  marks: 100,
  markText: 200,
  /** Length of a voice message, seconds, and bytes of its recording. */
  voiceSeconds: 180,
  voiceBytes: 2 * 1024 * 1024,
  /** Characters of a search in a chat, hits of one answer, and messages that one call reads for them. */
  chatSearchLength: 100,
  chatSearchHits: 50,
  chatSearchReads: 5_000,
  /** Looking together: events of one kind that one socket may send in a second, and images that it may join. */
  viewEventsPerSecond: 30,
  viewsJoined: 8,
  /** Numbers of a place in an image: pixels beside the frame or frames, values of a window, and the enlargement. */
  viewPixels: 1_000_000,
  viewValue: 1e9,
  viewZoomMin: 0.001,
  viewZoomMax: 1_000,
  /** Other waiting shares of a recipient with whose codes a wrong code is compared, the newest first. */
  otherShares: 9,
  settingLength: 2000,
  /** Characters of a setting that is a text for people, such as the name of the clinic. */
  settingTextLength: 120,
  /** Days after which a chat no longer makes a care relationship. */
  tieDays: 365,
  /**
   * Lifetime of a decoy, days: for that long the server answers as if the registration of a taken address had made an
   * account.
   */
  decoyDays: 30,
  /** Days after a sign-in for which its network address counts as the account's own. */
  knownPlaceDays: 30,
  passwordMin: 8,
  passwordMax: 128,
  shareHours: 24,
  shareHoursMax: 720,
  /** Images and studies together, people, and addresses of one act of sharing. */
  batchItems: 20,
  /** Characters of the note to the recipient of a share or a guest link. */
  noteLength: 500,
  /** Days for which an invitation waits for the registration. */
  invitationDays: 14,
  /** Times that a guest link may be opened: by default, and at most. */
  guestOpens: 10,
  guestOpensMax: 100,
  /** Lifetime of the token of an opened guest link, minutes. */
  guestMinutes: 60,
  /** Lifetime of the token that opens the page of the queues, minutes. */
  queueBoardMinutes: 15,
  /** Hours for which a request for images waits, unless the person who asks says otherwise. */
  requestHours: 72,
  /** Requests of one account that wait or hold files. */
  openRequests: 50,
  /** Files and bytes of one request for a folder. */
  requestFiles: 5_000,
  requestBytes: 10 * 1024 ** 3,
  /** Days for which received files wait for the person who asked. */
  heldDays: 14,
  /** Studies and single images of a request that are shown to the person who asked. */
  heldShown: 200,
  /** Files of a request that its sender sends at the same time. */
  sentAtOnce: 3,
  /** Milliseconds between two questions of a guest's screen: is the link still open? */
  guestPollMs: 500,
  /** Days after its end for which a guest link stays in the database. */
  guestKeptDays: 30,
  /** Days for which a notice stays in the notification centre. */
  noticeKeptDays: 180,
  /** Days of the activity that administrators see, today included. */
  activityDays: 14,
  /** Least days for which the audit log is kept: six years. */
  auditDaysMin: 2_190,
  /** Most days of a retention time. */
  retentionDaysMax: 36_500,
  /** Hours after its last change before a retention time of images or messages takes effect. */
  retentionWaitsHours: 24,
  /** Minutes of one emergency access, and the characters of its reason. */
  emergencyMinutes: 60,
  emergencyReasonMin: 10,
  emergencyReasonMax: 500,
  /** Characters of a question, an answer or a comment in its review. */
  reviewTextLength: 500,
  /** Carers of one patient, named or accepted, and patients of one carer. */
  carersOfPatient: 5,
  patientsOfCarer: 10,
  /** Days for which a named carer can answer. */
  carerDays: 14,
  /** Carers that have ended, in the list of a person, the newest first. */
  endedCarersShown: 10,
  pageLimit: 10,
  pageLimitMax: 100,
  chatLimit: 50,
  chatLimitMax: 200,
  /** The server counts the total of a list exactly up to this number. */
  exactTotal: 1000,
  /**
   * Browsers that may get notifications for one account. A further one replaces the one that was seen the longest ago.
   */
  pushSubscriptions: 10,
  pushEndpointLength: 1000,
  /** Days after which a browser that was not seen again is removed. */
  pushDays: 90,
  /** Webhooks of one account, and of the installation. */
  webhooks: 10,
  webhookUrlLength: 1000,
  /** Seconds in which the address of a webhook must answer. */
  webhookSeconds: 15,
  /** Days of failures without a success after which a webhook is turned off. */
  webhookFailingDays: 5,
  /** Hours for which deliveries are also signed with the secret before. */
  webhookOldSecretHours: 24,
  /** Days for which the log of deliveries is kept. */
  webhookLogDays: 30,
  /** Seconds after a push about a message in which further messages to the same person cause no push. */
  pushMessageSeconds: 30,
  /** Days after "Not now" before the app asks again. */
  pushAskAgainDays: 30,
  /** Minutes after which an unread notice may be mailed, if the person chose mail for its group. */
  noticeMailMinutes: 5,
  /** Minutes after which unread messages may be mailed. */
  messageMailMinutes: 15,
  /** Minutes from one mail about notices and messages to the next for the same person. */
  noticeMailPauseMinutes: 60,
  idempotencyHours: 24,
  /** Milliseconds before the redirects that the screens announce. */
  redirectAfterLogin: 1000,
  redirectAfterVerification: 2000,
  toastMs: 5000,
  /** Milliseconds for which a toast offers to take an approval back, and seconds for which the server accepts it. */
  undoToastMs: 10_000,
  approvalUndoSeconds: 60,
  /** Limits beside the throttles of calls (`throttles.ts`). */
  throttle: {
    /** Events of any kind on one socket. */
    socketEventsPerMinute: 600,
  },
} as const;
