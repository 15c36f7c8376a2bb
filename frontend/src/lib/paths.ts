import type { Role } from '@lightbox/contract/permissions.js';

/** Every address of the app. Screens and links name them from here. */
export const paths = {
  home: '/',
  login: '/login',
  register: '/register',
  verifyAccount: '/verify-account',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  notMe: '/not-me',
  dashboard: '/dashboard',
  adminDashboard: '/admin-dashboard',
  profile: '/profile',
  userProfile: (userId = ':id?') => `/user-profile/${userId}`,
  upload: '/upload',
  viewImages: '/view-images',
  /** The sheet of an image's shares: ids only. */
  sharesOf: (imageId: string) => `/view-images?image=${imageId}&show=share`,
  shareImage: '/share-image',
  messages: '/messages',
  auditLogs: '/audit-logs',
  appSettings: '/appsettings',
  rolesPermissions: '/roles-permissions',
  approveProvider: '/approve-provider',
  aiAnalysis: (imageId = ':id?') => `/ai-analysis/${imageId}`,
} as const;

/** Where a person lands after signing in. */
export const startOf = (role: Role) => (role === 'patient' ? paths.viewImages : paths.dashboard);
