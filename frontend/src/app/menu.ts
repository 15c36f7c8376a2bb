import { type Permission, type Role, roleMay } from '@lightbox/contract/permissions.js';
import {
  ChatsCircleIcon,
  ClipboardTextIcon,
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
    | 'roles'
    | 'settings'
    | 'home';
  path: string;
  Icon: Icon;
  /** What its holder may do; without it, everybody sees it. The server enforces, the menu only hides. */
  may?: Permission;
  /** A number behind the label: blue for what was said, amber for what waits. */
  useCount?: () => number;
  waiting?: boolean;
  /** Drawn below a line. */
  apart?: boolean;
  /** The bottom bar of a phone, with its short name. */
  tab?: 'images' | 'messages' | 'upload' | 'profile';
}

/** The one table behind sidebar, drawer and bottom bar, in the specification's order. */
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
  { label: 'roles', path: paths.rolesPermissions, Icon: KeyIcon, may: 'role.read' },
  { label: 'settings', path: paths.appSettings, Icon: GearSixIcon, may: 'setting.manage' },
  { label: 'home', path: paths.home, Icon: HouseLineIcon, apart: true },
];

export const menuOf = (role: Role | undefined) => menu.filter(({ may }) => !may || (role && roleMay(role, may)));

const tabOrder = ['images', 'messages', 'upload', 'profile'] as const;
/** Three of them: the profile stands where those who upload find that. */
export const tabsOf = (role: Role | undefined) =>
  tabOrder.flatMap((tab) => menuOf(role).filter((entry) => entry.tab === tab)).slice(0, 3);
