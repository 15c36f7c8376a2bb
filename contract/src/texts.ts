import { limits } from './limits.js';

export const fileSizeLimit = 'File size exceeds {{mb}}MB limit.';
export const inMegabytes = (bytes: number): number => Math.floor(bytes / 1024 / 1024);

/**
 * Texts of the server that screens repeat to the letter. `message` in an answer is this English; the client words it by
 * code.
 */
export const texts = {
  registered: 'Registration successful!',
  providerRegistered: 'Your account was created and is under review. We will inform you.',
  resetCodeSent: 'Reset code sent successfully!',
  passwordReset: 'Password reset successfully!',
  profileUpdated: 'Profile updated successfully!',
  imageUploaded: 'Image uploaded successfully!',
  loggedOut: 'Logged out successfully',
  providerActivated: 'Provider Activated successfully!',
  roleChanged: 'The role was changed.',
  totpReset: 'The authenticator app and the passkeys were removed from this account.',
  providerRejected: 'Provider rejected.',
  codeSent: 'A new code was sent.',
  tooManyConnections: 'Too many connections',
  passwordRule: 'Password must be at least 8 characters long and include uppercase, lowercase, and a number.',
  passwordCommon: 'This password is too common. Choose another one.',
  passwordForeseeable: 'This password is easy to guess. Do not use names, roles or the name of this service.',
  passwordNotRight: 'This password is not correct.',
  passwordChanged: 'Your password was changed.',
  passwordsDiffer: 'Passwords do not match!',
  validEmail: 'Please enter a valid email.',
  validCode: `Please enter a valid ${limits.codeDigits}-digit OTP.`,
  validRecoveryCode: 'A recovery code has ten letters and digits.',
  completeCode: 'Please enter a valid email and complete the OTP.',
  required: 'This field is required.',
  captionRequired: 'Please provide a caption.',
  aeTitle: 'Must be 1 to 16 letters, digits or signs, as the device is set up.',
  aeTitleTaken: 'Another device has this AE title.',
  addressOrRange: 'Must be an address such as 10.1.2.3, or a range such as 10.1.2.0/24.',
  notAnUploader: 'Must be an active provider or administrator.',
  webhookAddress: 'Must be a public address that begins with https://.',
  notYourPatient: 'You cannot choose this patient.',
  otherPatientName: 'The name in the file is different.',
  otherBirthDate: 'The date of birth in the file is different.',
  otherSex: 'The sex in the file is different.',
  notYourStudy: 'You cannot add to this study.',
  dicomHasItsStudy: 'A DICOM file belongs to the study that its header names.',
  studyOfAnother: 'This study is of another patient.',
  notCopiesOfIt: 'This is no study of copies from the study of the image.',
  copiedAlready: 'The study has a copy of this image already.',
  /** In place of captions and titles, which may name the patient, for people who get a copy without identity. */
  copyCaption: 'Image without identity',
  copyTitle: 'Study without identity',
  emptyStudy: 'This study has no images yet.',
  unfinishedStudy: 'Copies are still missing in this study. Delete it, and make them again.',
  receivedPictures: 'Received pictures',
  fileRequired: 'Please select a file to upload.',
  fileType: 'Invalid file type. Allowed: .jpg, .png, .pdf, .dicom',
  /** Names the limit of the setting, "10MB" by default. */
  fileSize: (bytes: number) => fileSizeLimit.replace('{{mb}}', String(inMegabytes(bytes))),
  emailRequired: 'Email field is required',
  malformedUpload: 'Upload was incomplete or malformed.',
} as const;
