import { Box, Flex, Text } from '@chakra-ui/react';
import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import {
  ArrowsClockwiseIcon,
  BellIcon,
  BuildingsIcon,
  ChartBarIcon,
  ChatsCircleIcon,
  ClipboardTextIcon,
  ClockCountdownIcon,
  ClockCounterClockwiseIcon,
  DesktopTowerIcon,
  EnvelopeSimpleIcon,
  EraserIcon,
  EyeIcon,
  FirstAidIcon,
  GaugeIcon,
  GearSixIcon,
  HandHeartIcon,
  HandPalmIcon,
  type Icon,
  ImageIcon,
  KeyIcon,
  LinkIcon,
  LockKeyIcon,
  ProhibitIcon,
  RulerIcon,
  SealCheckIcon,
  ShareNetworkIcon,
  ShieldCheckIcon,
  SignInIcon,
  SignOutIcon,
  SparkleIcon,
  StackIcon,
  TrashIcon,
  TrayArrowDownIcon,
  UploadSimpleIcon,
  UserCheckIcon,
  UserCircleIcon,
  UsersIcon,
  WarningCircleIcon,
  WebhooksLogoIcon,
  XCircleIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { type AreaOf, areaOf, keyOf } from '../lib/names';

/** Each icon means the same as elsewhere in the product. An action without a row has the icon of its area. */
const icons: Partial<Record<AuditAction, Icon>> = {
  'auth.logout': SignOutIcon,
  'session.expire': ClockCountdownIcon,
  'profile.delete': TrashIcon,
  'user.read': EyeIcon,
  'user.approve': UserCheckIcon,
  'user.role': KeyIcon,
  'user.delete': TrashIcon,
  'image.upload': UploadSimpleIcon,
  'image.blackOut': EraserIcon,
  'image.read': EyeIcon,
  'image.content': EyeIcon,
  'image.preview': EyeIcon,
  'image.view': EyeIcon,
  'image.timeline': ClockCounterClockwiseIcon,
  'image.delete': TrashIcon,
  'study.read': EyeIcon,
  'study.deleted': TrashIcon,
  'share.verify': SealCheckIcon,
  'share.lock': LockKeyIcon,
  'share.revoke': ProhibitIcon,
  'share.expire': ClockCountdownIcon,
  'guest.locked': LockKeyIcon,
  'guest.revoked': ProhibitIcon,
  'guest.expired': ClockCountdownIcon,
  'guest.viewed': EyeIcon,
  'setting.delete': TrashIcon,
};
const areas = {
  auth: SignInIcon,
  session: SignInIcon,
  totp: ShieldCheckIcon,
  passkey: ShieldCheckIcon,
  token: KeyIcon,
  signOn: BuildingsIcon,
  scim: BuildingsIcon,
  profile: UserCircleIcon,
  user: UsersIcon,
  stats: ChartBarIcon,
  image: ImageIcon,
  study: StackIcon,
  share: ShareNetworkIcon,
  invite: EnvelopeSimpleIcon,
  guest: LinkIcon,
  request: TrayArrowDownIcon,
  annotation: RulerIcon,
  analysis: SparkleIcon,
  consent: HandPalmIcon,
  message: ChatsCircleIcon,
  voice: ChatsCircleIcon,
  notification: BellIcon,
  push: BellIcon,
  webhook: WebhooksLogoIcon,
  dicomNode: DesktopTowerIcon,
  audit: ClipboardTextIcon,
  role: KeyIcon,
  setting: GearSixIcon,
  access: KeyIcon,
  emergency: FirstAidIcon,
  carer: HandHeartIcon,
  overview: GaugeIcon,
  job: ArrowsClockwiseIcon,
} as const satisfies Record<AreaOf<AuditAction>, Icon>;

/** Names the action. A failed one has an icon and a word, because colour alone is not accessible. */
export function ActionMark({ entry: { actiontype, status } }: { entry: Pick<AuditEntry, 'actiontype' | 'status'> }) {
  const { t } = useTranslation();
  const Mark = icons[actiontype] ?? areas[areaOf(actiontype)] ?? ClipboardTextIcon;
  const bad = status !== 'success';
  const Bad = status === 'denied' ? ProhibitIcon : status === 'failed' ? XCircleIcon : WarningCircleIcon;
  return (
    <Flex gap="2.5" align="center" data-action={actiontype} data-status={status}>
      <Box color={bad ? 'danger.fg' : 'fg.muted'} flex="none">
        <Mark size={20} aria-hidden />
      </Box>
      <Box minW="0">
        <Text as="span" display="block" fontWeight="semibold" color={bad ? 'danger.fg' : 'fg'}>
          {t(`audit.action.${keyOf(actiontype)}`)}
        </Text>
        {bad && (
          <Flex as="span" align="center" gap="1" fontSize="xs" fontWeight="semibold" color="danger.fg">
            <Bad size={15} weight="fill" aria-hidden />
            {t(`audit.status.${status}`)}
          </Flex>
        )}
      </Box>
    </Flex>
  );
}
