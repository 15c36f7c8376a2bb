import { type Permission, type Role, roleMay } from '@lightbox/contract/permissions.js';
import {
  ChatsCircleIcon,
  ClipboardTextIcon,
  FirstAidIcon,
  GaugeIcon,
  GearSixIcon,
  HouseLineIcon,
  type Icon,
  ImagesIcon,
  KeyIcon,
  SquaresFourIcon,
  UploadSimpleIcon,
  UserCheckIcon,
  UserCircleIcon,
} from '@phosphor-icons/react';
import { useWaitingReviews } from '../emergencies/emergencies';
import { paths } from '../lib/paths';
import { useUnreadMessages } from '../messages/unread';
import { usePendingCount } from '../users/users';

export interface MenuEntry {
  label:
    | 'dashboard'
    | 'adminDashboard'
    | 'profile'
    | 'upload'
    | 'viewImages'
    | 'messages'
    | 'auditLogs'
    | 'approveProvider'
    | 'emergencies'
    | 'roles'
    | 'settings'
    | 'home';
  path: string;
  Icon: Icon;
  /** The permission that shows the entry; without one, every role sees it. The menu only hides; the server enforces. */
  may?: Permission;
  /** Returns the number after the label: blue for unread messages, amber with `waiting`. */
  useCount?: () => number;
  waiting?: boolean;
  /** True: the entry is below a line. */
  apart?: boolean;
  /** The short name of the entry in the bottom bar of a phone, if it is there. */
  tab?: 'images' | 'messages' | 'upload' | 'profile';
}

/** The entries of sidebar, drawer and bottom bar, in the order of the specification. */
const menu: readonly MenuEntry[] = [
  { label: 'dashboard', path: paths.dashboard, Icon: SquaresFourIcon, may: 'stats.read' },
  { label: 'adminDashboard', path: paths.adminDashboard, Icon: GaugeIcon, may: 'overview.read' },
  { label: 'profile', path: paths.profile, Icon: UserCircleIcon, tab: 'profile' },
  { label: 'upload', path: paths.upload, Icon: UploadSimpleIcon, may: 'image.upload', tab: 'upload' },
  { label: 'viewImages', path: paths.viewImages, Icon: ImagesIcon, tab: 'images' },
  { label: 'messages', path: paths.messages, Icon: ChatsCircleIcon, useCount: useUnreadMessages, tab: 'messages' },
  { label: 'auditLogs', path: paths.auditLogs, Icon: ClipboardTextIcon, may: 'audit.read' },
  {
    label: 'approveProvider',
    path: paths.approveProvider,
    Icon: UserCheckIcon,
    may: 'user.approve',
    useCount: usePendingCount,
    waiting: true,
  },
  {
    label: 'emergencies',
    path: paths.emergencies,
    Icon: FirstAidIcon,
    may: 'emergency.review',
    useCount: useWaitingReviews,
    waiting: true,
  },
  { label: 'roles', path: paths.rolesPermissions, Icon: KeyIcon, may: 'role.read' },
  { label: 'settings', path: paths.appSettings, Icon: GearSixIcon, may: 'setting.manage' },
  { label: 'home', path: paths.home, Icon: HouseLineIcon, apart: true },
];

export const menuOf = (role: Role | undefined) => menu.filter(({ may }) => !may || (role && roleMay(role, may)));

const tabOrder = ['images', 'messages', 'upload', 'profile'] as const;
/** Returns the three tabs of the bottom bar. Roles without upload get the profile in its place. */
export const tabsOf = (role: Role | undefined) =>
  tabOrder.flatMap((tab) => menuOf(role).filter((entry) => entry.tab === tab)).slice(0, 3);
