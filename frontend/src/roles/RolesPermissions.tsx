import { Box, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import { type Permission, permissions, roleMay, roles } from '@lightbox/contract/permissions.js';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { keyOf } from '../lib/names';
import { RoleBadge } from '../ui/Badge';
import { LoadFailed } from '../ui/LoadFailed';
import { Page } from '../ui/Page';
import { Waiting } from '../ui/Skeletons';
import { permissionNames, roleNames } from './roles';

type Names = { name: string }[];

interface PanelProps {
  title: string;
  names: Names | undefined;
  error: unknown;
  onRetry: () => void;
  row: (name: string) => ReactNode;
}

function Panel({ title, names, error, onRetry, row }: PanelProps) {
  const { t } = useTranslation();
  return (
    <Box as="section" layerStyle="card" overflow="hidden">
      <Flex align="center" gap="2.5" px="5" py="4">
        <Heading as="h2" textStyle="section">
          {title}
        </Heading>
        {names && <Text color="fg.muted">{names.length}</Text>}
      </Flex>
      {Boolean(error) && !names && <LoadFailed text={errorText(error)} onRetry={onRetry} />}
      {names?.length === 0 && (
        <Text px="5" pb="4" color="fg.muted">
          {t('roles.none')}
        </Text>
      )}
      <Box as="ul" listStyleType="none" aria-label={title} aria-busy={!names && !error}>
        {names?.map(({ name }) => (
          <Box as="li" key={name} px="5" py="3.5" borderTopWidth="1px">
            {row(name)}
          </Box>
        ))}
        {!names &&
          !error &&
          [1, 2, 3].map((line) => (
            <Box as="li" key={line} px="5" py="4" borderTopWidth="1px">
              <Waiting h="14px" w="40%" />
              <Waiting h="12px" w="70%" mt="2.5" />
            </Box>
          ))}
      </Box>
    </Box>
  );
}

const Name = ({ children }: { children: string }) => (
  <Text as="span" fontFamily="mono" fontSize="sm" fontWeight="bold" dir="ltr" overflowWrap="anywhere">
    {children}
  </Text>
);

function RoleRow({ name }: { name: string }) {
  const { t } = useTranslation();
  const about = roles.find((role) => role === name);
  return (
    <>
      <Flex align="center" gap="3" wrap="wrap">
        <Name>{name}</Name>
        <RoleBadge name={name} />
      </Flex>
      {about && (
        <Text fontSize="sm" color="fg.muted" mt="1.5">
          {t(`roles.about.${about}`)}
        </Text>
      )}
    </>
  );
}

const isPermission = (name: string): name is Permission => Object.hasOwn(permissions, name);

function PermissionRow({ name }: { name: string }) {
  const { t } = useTranslation();
  if (!isPermission(name)) return <Name>{name}</Name>;
  return (
    <Flex align="center" gap="3" wrap="wrap">
      <Box flex="1 1 240px" minW="0">
        <Name>{name}</Name>
        <Text fontSize="sm" color="fg.muted">
          {t(`roles.may.${keyOf(name)}`)}
        </Text>
      </Box>
      <Flex gap="1.5" wrap="wrap">
        {roles
          .filter((role) => roleMay(role, name))
          .map((role) => (
            <RoleBadge key={role} name={role} />
          ))}
      </Flex>
    </Flex>
  );
}

/** Lists the roles and the permissions that the server enforces, with their translations. Read-only. */
export function RolesPermissions() {
  const { t } = useTranslation();
  const [names, allowed] = useQueries({ queries: [roleNames, permissionNames] });
  return (
    <Page title={t('roles.title')} sub={t('roles.sub')}>
      <Grid templateColumns={{ base: 'minmax(0, 1fr)', xl: '400px minmax(0, 1fr)' }} gap="5" alignItems="start">
        <Panel
          title={t('roles.roles')}
          names={names.data?.data}
          error={names.error}
          onRetry={() => void names.refetch()}
          row={(name) => <RoleRow name={name} />}
        />
        <Panel
          title={t('roles.permissions')}
          names={allowed.data?.data}
          error={allowed.error}
          onRetry={() => void allowed.refetch()}
          row={(name) => <PermissionRow name={name} />}
        />
      </Grid>
    </Page>
  );
}
