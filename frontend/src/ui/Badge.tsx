import { Box } from '@chakra-ui/react';
import { type Icon, ShieldStarIcon, StethoscopeIcon, UserIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

type Tone = 'accent' | 'danger' | 'warning' | 'success' | 'info' | 'gray';

interface Props {
  Icon: Icon;
  tone?: Tone;
  /** True for a state that was reached (verified, active): the icon is filled. */
  filled?: boolean;
  children: ReactNode;
}

/** A label of 24 px height with icon and text, so that its meaning never depends on colour alone. */
export function Badge({ Icon, tone = 'gray', filled = false, children, ...rest }: Props & { 'data-role'?: string }) {
  return (
    <Box
      as="span"
      display="inline-flex"
      alignItems="center"
      gap="5px"
      minH="24px"
      maxW="full"
      px="9px"
      borderRadius="full"
      fontSize="xs"
      fontWeight="semibold"
      lineHeight="1.2"
      whiteSpace={{ base: 'normal', md: 'nowrap' }}
      overflowWrap="anywhere"
      bg={tone === 'gray' ? 'bg.subtle' : `${tone}.subtle`}
      color={tone === 'gray' ? 'fg.muted' : `${tone}.onSubtle`}
      {...rest}
    >
      <Icon size={15} weight={filled ? 'fill' : 'regular'} aria-hidden />
      {children}
    </Box>
  );
}

const roles = {
  patient: { Icon: UserIcon, tone: 'gray' },
  healthProvider: { Icon: StethoscopeIcon, tone: 'accent' },
  admin: { Icon: ShieldStarIcon, tone: 'info' },
  user: { Icon: UserIcon, tone: 'gray' },
} as const;

/** Shows a person's role in their language; `data-role` has the raw value. */
export function RoleBadge({ name: role }: { name: string | undefined }) {
  const { t } = useTranslation();
  const known = role && role in roles ? (role as keyof typeof roles) : 'user';
  const { Icon, tone } = roles[known];
  return (
    <Badge Icon={Icon} tone={tone} data-role={role ?? 'user'}>
      {t(`app.role.${known}`)}
    </Badge>
  );
}
