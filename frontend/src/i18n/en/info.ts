import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';

/** The help and the privacy page. Each line of a `text` is one paragraph. */
export const info = {
  print: 'Print',
  contents: 'On this page',
  contact: 'Contact',
  contactNone: 'Ask the person at your clinic who gave you the address of this page.',
  helpSub: 'Answers to frequent questions.',
  privacySub: 'The data that Lightbox stores about you, and the people who can see it.',
  topics: {
    code: {
      title: 'I didn’t get a login code',
      text: `Check your spam folder first.
You can ask for a new code after one minute. A code is valid for ${limits.codeMinutes} minutes, and only the newest code works.
If you use an authenticator app, there is no email: open the app and enter its code.`,
    },
    password: {
      title: 'I forgot my password',
      text: `Choose “Forgot Password?” on the login page. We’ll email you a code to set a new one.
After several failed attempts, login is paused for some minutes.`,
    },
    review: {
      title: 'My account is under review',
      text: 'An administrator checks every health provider. We’ll email you when they decide.',
    },
    imageCode: {
      title: 'I need the code for an image',
      text: `The code for an image comes by email. Email and image carry the same mark, for example “Share 1925”.
Open the image and enter the code. You can paste it.
Choose “Send the code again” if you cannot find the email: once a minute, at most ${throttles.shareCodes.points} times a day.`,
    },
    locked: {
      title: 'An image is locked',
      text: `After ${limits.codeTries} wrong codes an image is locked. Choose “Send the code again”, and enter the new code.
You can also ask the person who shared it to send you a new code.`,
    },
    ended: {
      title: 'The access to an image has ended',
      text: 'Every access can have an end, and the sender can end it at any time. Ask the sender to share the image again: the image has a button for it.',
    },
    upload: {
      title: 'I want to upload a file',
      text: `Health providers and administrators upload files: JPEG, PNG, PDF and DICOM.
One file can have up to {{max}}. You can choose several files, a folder or a ZIP file.
Lightbox looks at the content of a file, not at its name.`,
    },
    viewer: {
      title: 'Keys in the viewer',
      text: `Press ? in the viewer to see all keys.
The most used are: + and − to zoom, R to rotate, I to invert, the arrow keys for the next image, and Esc to stop.
The viewer is not for diagnosis.`,
    },
    chat: {
      title: 'Messages',
      text: `Choose “Messages”, then a person. Only the two of you can read a chat.
To answer one message, open its menu and choose “Reply”, or swipe it on a phone. With the microphone you send a voice message of up to ${limits.voiceSeconds / 60} minutes.
Without a connection your messages wait in this browser, and are sent when you are online again.`,
    },
    notifications: {
      title: 'Notifications',
      text: `The bell shows your news. In your profile you can also switch on notifications for this device.
A notification on a device has no names and nothing about your health.`,
    },
    phone: {
      title: 'I lost my phone',
      text: `Log in on another device. In your profile, under “Devices”, log out the lost phone.
Was your authenticator app on it? Log in with one of your recovery codes. Without recovery codes, ask an administrator to reset it.
Then change your password.`,
    },
  },
  facts: {
    stored: {
      title: 'What is stored',
      text: `Your account: name, email address, username, role, and the profile that you fill in. Your password is stored as a hash, which nobody can read.
Images with their caption, who added them and when, and the technical data of the file. A DICOM file can name the patient inside: the original keeps this, and a download contains it.
Shares, invitations, guest links, chat messages, notifications, and results of image analyses.
Your logins: time, network address and kind of browser.
Image files, previews, voice messages and profiles are encrypted. Names, captions and messages are stored as text in the database.`,
    },
    where: {
      title: 'Where it is stored',
      text: `On the servers on which your clinic runs Lightbox. The clinic decides where they are and who looks after them.
Lightbox sends no data to the makers of the software, and has no advertising and no trackers.`,
    },
    howLong: {
      title: 'For how long',
      text: `Images stay until someone deletes them. Shares, messages and the log stay. Voice messages are removed when their sender’s account is closed.
Guest links are removed ${limits.guestKeptDays} days after their end, notifications after ${limits.noticeKeptDays} days. An upload that was not completed is removed after ${limits.resumableHours} hours.
A login ends after {{idle}} without activity by default, and always after ${limits.sessionHours} hours.`,
    },
    who: {
      title: 'Who can see it',
      text: `An image: the person who added it, people with whom it is shared once they entered the code, holders of a guest link with its code, and the administrators of the clinic.
Your profile: you and the administrators. A provider who treats you also sees your date of birth, blood group and primary physician. Others who find you see your name, username, email address and gender.
A chat: only its two people.`,
    },
    logged: {
      title: 'What is logged',
      text: `Logins, views, downloads, shares and all changes: with person, time and network address. The log cannot be changed unnoticed.
Administrators read the whole log. Providers read what they did, and what others did with their images. Patients read who did what with an image that is about them.`,
    },
    cookies: {
      title: 'Cookies and this browser',
      text: `Two cookies keep you logged in, for at most ${limits.sessionHours} hours. There are no other cookies.
This browser also remembers your login, your language, your theme, and messages that are not sent yet.`,
    },
    mails: {
      title: 'Emails and notifications',
      text: `We email you codes, links, news about your account and reminders of unread messages.
No email has the name of a patient, a caption, a message or anything clinical.
Notifications on a device go through the service of the maker of the browser. They are encrypted, and have no names.`,
    },
    ai: {
      title: 'Computer analysis',
      text: `A clinician can ask a computer to describe an image. By default this happens on the servers of the clinic.
If the clinic has connected an external AI service, the picture and public facts about it, such as the kind of examination, are sent there. The date, the names in the file and documents are not sent. A name that is written into the picture itself is part of the picture.`,
    },
    rights: {
      title: 'Your rights',
      text: `You can download all your data in your profile, and correct your profile.
As a patient you can print a list of everybody who got access to your images, who looked at them and who downloaded them.
You can close your account in your profile. This removes your profile, your email address and your name. Images without a patient are deleted. An administrator keeps images of patients. Messages and the log stay.
For everything else, ask your clinic.`,
    },
  },
} as const;
