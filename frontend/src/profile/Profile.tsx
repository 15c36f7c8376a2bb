import { Box, Button, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import { directory } from '@lightbox/contract/users/policy.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import {
  BellRingingIcon,
  ChatCircleTextIcon,
  EyeSlashIcon,
  HandHeartIcon,
  KeyIcon,
  PencilSimpleIcon,
  ShieldSlashIcon,
  TrashIcon,
  UserMinusIcon,
  UserPlusIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { useMay, userAtom, useViewer } from '../auth/session';
import { errorText } from '../lib/errors';
import { capitalized, formatDate, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { RoleBadge } from '../ui/Badge';
import { Card } from '../ui/Card';
import { Facts } from '../ui/Facts';
import { LoadFailed } from '../ui/LoadFailed';
import { Page } from '../ui/Page';
import { Waiting } from '../ui/Skeletons';
import { StateBadge } from '../ui/StateBadge';
import { UserAvatar } from '../ui/UserAvatar';
import { type AccountAct, AccountDialog } from '../users/AccountDialog';
import { oneUser } from '../users/users';
import { CloseAccount } from './CloseAccount';
import { ConsentCard } from './ConsentCard';
import { EditProfile } from './EditProfile';
import { LegalHoldCard } from './LegalHoldCard';
import { OwnData } from './OwnData';
import { OwnPhoto } from './OwnPhoto';
import { ReceiptsSwitch } from './ReceiptsSwitch';
import { useSections } from './sections';
import { useViewOf } from './useViewOf';

const Security = lazy(async () => ({ default: (await import('../security/Security')).Security }));

function Head({ user, own, onEdit }: { user: User; own: boolean; onEdit: () => void }) {
  const { t } = useTranslation();
  const { role } = useViewer();
  // A patient writes to no patient.
  const writes = user.active && (role === 'admin' || directory[role].includes(user.role.name));
  const knowsState = useViewOf(user) === 'full' && !own;
  return (
    <Flex layerStyle="card" px={{ base: '5', md: '7' }} py="6" gap={{ base: '4', md: '6' }} align="center" wrap="wrap">
      {own ? <OwnPhoto user={user} /> : <UserAvatar person={user} role={user.role.name} size="lg" />}
      <Box flex="1 1 220px" minW="0">
        <Heading as="h2" fontSize="xl" lineHeight="1.25" fontWeight="650" dir="auto" overflowWrap="anywhere">
          {capitalized(fullName(user))}
        </Heading>
        <Flex wrap="wrap" columnGap="3" color="fg.muted" fontSize=".9375rem" overflowWrap="anywhere" mt="0.5">
          <Text as="bdi" minW="0">
            {user.email}
          </Text>
          <Text as="bdi" minW="0">
            @{user.username}
          </Text>
        </Flex>
        <Flex gap="2" mt="2.5" wrap="wrap">
          <RoleBadge name={user.role.name} />
          {knowsState && (
            <StateBadge state={user.status === 'pending' ? 'underReview' : user.active ? 'active' : 'inactive'} />
          )}
        </Flex>
      </Box>
      {own ? (
        <Button onClick={onEdit} w={{ base: 'full', sm: 'auto' }}>
          <PencilSimpleIcon aria-hidden />
          {t('profile.edit')}
        </Button>
      ) : (
        writes && (
          <Button asChild variant="subtle" w={{ base: 'full', sm: 'auto' }}>
            <Link to={`${paths.messages}?chat=${user.id}`}>
              <ChatCircleTextIcon aria-hidden />
              {t('profile.manage.message')}
            </Link>
          </Button>
        )
      )}
    </Flex>
  );
}

/** The buttons of an administrator for the account of another person, with their dialogs. */
function Manage({ user }: { user: User }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [act, setAct] = useState<AccountAct>();
  const toggle: AccountAct = user.active ? 'deactivate' : 'activate';
  const Toggle = user.active ? UserMinusIcon : UserPlusIcon;
  return (
    <Card title={t('profile.manage.title')}>
      <Text fontSize="sm" color="fg.muted">
        {user.createAt && `${t('profile.manage.registered', { date: formatDate(user.createAt) })}. `}
        {t('profile.manage.text')}
      </Text>
      <Flex direction="column" gap="2.5" mt="4">
        <Button variant="outline" onClick={() => setAct(toggle)}>
          <Toggle aria-hidden />
          {t(`users.table.${toggle}`)}
        </Button>
        {user.status === 'active' && (
          <Button variant="outline" onClick={() => setAct('role')}>
            <KeyIcon aria-hidden />
            {t('users.table.changeRole')}
          </Button>
        )}
        {(user.totp || user.passkeys) && (
          <Button variant="outline" onClick={() => setAct('appReset')}>
            <ShieldSlashIcon aria-hidden />
            {t('users.table.appReset')}
          </Button>
        )}
        <Button variant="surface" colorPalette="danger" onClick={() => setAct('delete')}>
          <TrashIcon aria-hidden />
          {t('users.table.deleteAct')}
        </Button>
      </Flex>
      {act && (
        <AccountDialog
          act={act}
          users={[{ ...user, role: user.role.name }]}
          onClose={() => setAct(undefined)}
          onDone={() => {
            setAct(undefined);
            if (act === 'delete') navigate(paths.dashboard, { replace: true });
          }}
        />
      )}
    </Card>
  );
}

/** Three columns only from `2xl` on, where an e-mail address, the longest value, has enough room. */
const columns = { base: '1fr', sm: '1fr 1fr', '2xl': 'repeat(3, minmax(0, 1fr))' };

/** The parts about a patient's images: an emergency access to them, and the images, also for a carer; `app` gives them. */
type Parts = Record<'Emergency' | 'Images' | 'Helped', ComponentType<{ patientId: string }>>;

function Account({ user, own, Emergency, Images, Helped }: { user: User; own: boolean } & Parts) {
  const { t } = useTranslation();
  const manages = useMay('user.manage');
  const holds = useMay('user.hold');
  const opens = useMay('emergency.open');
  const staff = useMay('image.listOwn');
  const cares = useMay('carer.use');
  const [editing, setEditing] = useState(false);
  const sections = useSections(user);
  const full = useViewOf(user) === 'full';
  return (
    <Grid templateColumns={{ base: 'minmax(0, 1fr)', xl: 'minmax(0, 1fr) 322px' }} gap="5" alignItems="start">
      <Flex direction="column" gap="5" minW="0">
        <Head user={user} own={own} onEdit={() => setEditing(true)} />
        {opens && user.role.name === 'patient' && <Emergency patientId={user.id} />}
        {sections.map(({ key, Icon, facts }) => (
          <Card
            key={key}
            title={
              <>
                <Box as="span" color="accent.fg" display="inline-flex">
                  <Icon size={22} aria-hidden />
                </Box>
                {t(`profile.${key}`)}
              </>
            }
          >
            <Facts facts={facts} columns={columns} />
          </Card>
        ))}
        {staff && user.role.name === 'patient' && <Images patientId={user.id} />}
        {cares && !own && user.role.name === 'patient' && <Helped patientId={user.id} />}
        {own && (
          <Suspense fallback={null}>
            <Security />
          </Suspense>
        )}
      </Flex>
      <Flex direction="column" gap="5" minW="0">
        {(full || user.bio) && (
          <Card title={t('profile.bio')}>
            <Text dir="auto" whiteSpace="pre-line" overflowWrap="anywhere" color={user.bio ? 'fg' : 'fg.muted'}>
              {user.bio || t('profile.none')}
            </Text>
          </Card>
        )}
        {!full && (
          <Flex gap="2.5" fontSize="sm" color="fg.muted" px="1">
            <Box flex="none" mt="1px">
              <EyeSlashIcon size={18} aria-hidden />
            </Box>
            {t('profile.limited')}
          </Flex>
        )}
        {own ? (
          <>
            <Card title={t('noticeSettings.title')}>
              <Text fontSize="sm" color="fg.muted" mb="4">
                {t('noticeSettings.openText')}
              </Text>
              <Button asChild variant="outline" w="full">
                <Link to={paths.noticeSettings}>
                  <BellRingingIcon aria-hidden />
                  {t('noticeSettings.open')}
                </Link>
              </Button>
            </Card>
            {user.role.name === 'patient' && <ConsentCard />}
            {cares && (
              <Card title={t('carers.card')}>
                <Text fontSize="sm" color="fg.muted" mb="4">
                  {t('carers.cardText')}
                </Text>
                <Button asChild variant="outline" w="full">
                  <Link to={paths.carers}>
                    <HandHeartIcon aria-hidden />
                    {t('carers.open')}
                  </Link>
                </Button>
              </Card>
            )}
            <Card title={t('messages.title')}>
              <ReceiptsSwitch user={user} />
            </Card>
            <Card title={t('profile.data.title')}>
              <OwnData />
            </Card>
            <Card title={t('profile.remove.title')}>
              <CloseAccount />
            </Card>
          </>
        ) : (
          <>
            {manages && <Manage user={user} />}
            {holds && user.role.name === 'patient' && <LegalHoldCard patient={user} />}
          </>
        )}
      </Flex>
      {own && <EditProfile user={user} open={editing} onClose={() => setEditing(false)} />}
    </Grid>
  );
}

const Skeleton = () => {
  const { t } = useTranslation();
  return (
    <Grid
      role="status"
      aria-label={t('common.loading')}
      templateColumns={{ base: 'minmax(0, 1fr)', xl: 'minmax(0, 1fr) 322px' }}
      gap="5"
    >
      <Flex direction="column" gap="5">
        <Flex layerStyle="card" px="7" py="6" gap="6" align="center">
          <Waiting boxSize="84px" borderRadius="full" flex="none" />
          <Box flex="1">
            <Waiting h="20px" w="40%" />
            <Waiting h="14px" w="60%" mt="3" />
          </Box>
        </Flex>
        {[1, 2].map((card) => (
          <Box key={card} layerStyle="card" px="7" py="6">
            <Waiting h="18px" w="30%" />
            <Waiting h="14px" w="80%" mt="5" />
            <Waiting h="14px" w="70%" mt="5" />
          </Box>
        ))}
      </Flex>
      <Box layerStyle="card" px="7" py="6" h="fit-content">
        <Waiting h="18px" w="40%" />
        <Waiting h="14px" w="90%" mt="4" />
      </Box>
    </Grid>
  );
};

/** Shows the own account, or another account by its id with the fields that the viewer may see. */
export function Profile(parts: Parts) {
  const { t } = useTranslation();
  const me = useAtomValue(userAtom);
  const { id } = useParams();
  const own = !id || id === me?.id;
  const { data, error, refetch } = useQuery(oneUser(own ? undefined : id));
  const user = data?.data;
  return (
    <Page title={own ? t('profile.title') : t('profile.titleOf', { name: user ? capitalized(fullName(user)) : '…' })}>
      {user ? (
        <Account key={user.id} user={user} own={own} {...parts} />
      ) : error ? (
        <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}
