export const push = {
  title: 'Notifications on this device',
  label: 'Notify me in this browser',
  content:
    'Notifications only say that there is something new: no names, no messages, nothing medical. You get none while you are using Lightbox.',
  state: {
    on: 'On in this browser. Logging out turns it off.',
    off: 'Off in this browser.',
    blocked: 'Notifications are blocked. Allow them for this site in your browser’s settings, then come back.',
    unsupported:
      'This browser cannot show notifications here. On an iPhone or iPad, add Lightbox to the home screen first and open it from there.',
    notOffered: 'This server does not send notifications to devices. An administrator can turn this on.',
  },
  turnedOn: 'Notifications are on in this browser.',
  failed: 'Notifications could not be turned on. Please try again.',
  offer: {
    title: 'Notify you here when there’s a reply?',
    act: 'Turn on',
    later: 'Not now',
    close: 'Got it',
  },
  /** For a kind of a newer server, which this version of the app does not know. */
  other: { title: 'There is something new', text: 'Open Lightbox to see it.' },
  /** After quiet hours. */
  summary: { title: '{{count}} new notifications', text: 'Open Lightbox to see them.' },
  message: { title: 'You have a new message', text: 'Open Lightbox to read it.' },
} as const;
