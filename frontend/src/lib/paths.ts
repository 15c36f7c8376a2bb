import { adminDashboard } from '@lightbox/contract/doors.js';
import type { Role } from '@lightbox/contract/permissions.js';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';

/** Every path of the app. Screens and links take paths from here only. */
export const paths = {
  home: '/',
  login: '/login',
  register: '/register',
  verifyAccount: '/verify-account',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  notMe: '/not-me',
  /** A provider of single sign-on sends the browser back here. */
  signOn: (provider = ':provider') => `/sign-on/${provider}`,
  /** The address of a guest link ends in `#` and its proof. */
  guestLink: (link = ':link') => `/guest/${link}`,
  /** The page on which somebody sends images for a request. Its address ends in `#` and the proof. */
  send: (link = ':link') => `/send/${link}`,
  requests: '/requests',
  request: (requestId = ':requestId') => `/requests/${requestId}`,
  help: '/help',
  privacy: '/privacy',
  /** The list of people who got access to the viewer's images, for printing. */
  disclosures: '/disclosures',
  dashboard: '/dashboard',
  adminDashboard,
  profile: '/profile',
  noticeSettings: '/profile/notifications',
  /** The viewer's carers, and the patients whom they help. */
  carers: '/profile/carers',
  userProfile: (userId = ':id?') => `/user-profile/${userId}`,
  upload: '/upload',
  viewImages: '/view-images',
  /** The gallery with one image open. The address contains only ids. */
  image: (imageId: string) => `/view-images?image=${imageId}`,
  /** The gallery with the images of a patient whom the viewer helps. The id is that of the carer's record. */
  imagesOfHelped: (carerId: string) => `/view-images?of=${carerId}`,
  /** The gallery with one study open. The address contains only ids. */
  study: (studyId: string) => `/view-images?study=${studyId}`,
  /** The sheet with the shares of an image. The address contains only ids. */
  sharesOf: (imageId: string) => `/view-images?image=${imageId}&show=share`,
  shareImage: '/share-image',
  messages: '/messages',
  /** The chat with a person. */
  chat: (userId: string) => `/messages?chat=${userId}`,
  /** The emergency accesses: all for administrators, their own for other people. */
  emergencies: '/emergency-access',
  emergency: (id: string) => `/emergency-access?id=${id}`,
  auditLogs: '/audit-logs',
  appSettings: '/appsettings',
  rolesPermissions: '/roles-permissions',
  approveProvider: '/approve-provider',
  viewer: (imageId = ':imageId') => `/viewer/${imageId}`,
  /** A place in an image. The address contains only the id and numbers. */
  pinned: ({ imageId, ...place }: PinnedView) =>
    `/viewer/${imageId}?${new URLSearchParams(Object.entries(place).map(([name, value]) => [name, String(value)]))}`,
  studyViewer: (studyId = ':studyId') => `/viewer/study/${studyId}`,
  aiAnalysis: (imageId = ':id?') => `/ai-analysis/${imageId}`,
} as const;

/** Returns the first screen after sign-in. */
export const startOf = (role: Role) => (role === 'patient' ? paths.viewImages : paths.dashboard);
