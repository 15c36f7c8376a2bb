export const push = {
  title: 'Notifications on this device',
  label: 'Tell me here when something new comes',
  content:
    'Only that there is something new: no names, no messages, nothing medical. Nothing comes while you look at Lightbox.',
  state: {
    on: 'On in this browser. Signing out turns it off.',
    off: 'Off in this browser.',
    blocked:
      'Blocked. You said no when this browser asked, and it does not ask twice. Allow notifications for this site in the browser’s own settings, then come back.',
    unsupported:
      'This browser cannot do this here. On an iPhone or iPad, add Lightbox to the home screen first and open it from there.',
    notOffered: 'This server sends no notifications to devices. An administrator can turn it on.',
  },
  turnedOn: 'Notifications are on in this browser.',
  failed: 'Notifications could not be turned on. Please try again.',
  offer: {
    title: 'Shall we tell you here when there is an answer?',
    act: 'Turn on',
    later: 'Not now',
    close: 'Understood',
  },
  /** For a kind of a newer server, which this version of the app does not know. */
  other: { title: 'There is something new', text: 'Open Lightbox to see it.' },
  message: { title: 'You have a new message', text: 'Open Lightbox to read it.' },
} as const;
