export const notifications = {
  title: 'Notifications',
  tab: 'Notices',
  open_zero: 'Notifications',
  open_one: 'Notifications, {{count}} unread',
  open_other: 'Notifications, {{count}} unread',
  readAll: 'Mark all as read',
  readOne: 'Mark as read',
  unread: 'Unread',
  older: 'Show older',
  empty: 'Nothing to tell you yet',
  emptyText: 'When an image is shared with you or an analysis is ready, you read it here.',
  show: 'Show',
  kind: {
    'share.created': { title: 'An image was shared with you', text: 'The id and code to open it come by e-mail.' },
    'share.verified': { title: 'A shared image was verified', text: 'The person you shared it with can see it now.' },
    'share.revoked': { title: 'A share has ended', text: 'You no longer have access to this image.' },
    'analysis.completed': { title: 'An analysis is ready', text: 'Computer-made. Not a diagnosis.' },
    'analysis.failed': { title: 'An analysis did not work', text: 'The image is unchanged. You can run it again.' },
    'provider.registered': {
      title: 'A provider waits for approval',
      text: 'Somebody registered as a health provider.',
    },
    'user.bulkRead': {
      title: 'Somebody has read many profiles',
      text: 'More people within an hour than work usually asks for. The audit log says whom.',
    },
  },
} as const;
