export const noticeSettings = {
  title: 'Notifications',
  sub: 'Choose what you hear about, and how. Emails and devices never show names or anything medical.',
  groups: 'What you hear about',
  open: 'Choose notifications',
  openText: 'Choose what you hear about in the app, on your devices and by email.',
  saved: 'Saved.',
  failed: 'Your choice could not be saved. It was changed back.',
  always: 'Always on',
  channel: { app: 'In the app', device: 'On devices', mail: 'By email' },
  group: {
    shares: {
      name: 'Shares and codes',
      text: 'An image is shared with you, opened, locked or no longer shared. The email with the sharing id and code always comes.',
    },
    images: { name: 'Images and analyses', text: 'An analysis is ready or has failed.' },
    messages: { name: 'Messages', text: 'Someone writes to you. The chat itself always shows new messages.' },
    account: {
      name: 'Account and security',
      text: 'Changes of your password and your ways to log in, and emergency access to images. They protect you.',
    },
    administration: {
      name: 'Administration',
      text: 'A provider waits for approval, or someone opened many profiles.',
    },
  },
  deviceHint: 'The choices for devices count for your other browsers.',
  quiet: {
    title: 'Quiet hours',
    label: 'No notifications on devices at certain hours',
    text: 'Afterwards your devices tell you once how much is new. Times are those of {{zone}}.',
    from: 'From',
    to: 'To',
  },
  digest: {
    title: 'Summary by email',
    text: 'An email with the number of your unread notifications and messages. None when there is nothing.',
    off: 'Off',
    daily: 'Every day',
    weekly: 'Mondays',
    at: 'Time',
  },
} as const;
