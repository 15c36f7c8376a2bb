import { Box, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import { roles } from '@lightbox/contract/permissions.js';
import type { Stats } from '@lightbox/contract/users/calls.js';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import { formatNumber, formatPercent } from '../lib/format';
import chest from '../ui/films/chest.webp';
import hand from '../ui/films/hand.webp';
import spine from '../ui/films/spine.webp';
import { Waiting } from '../ui/Skeletons';
import { stats } from './users';

interface CardProps {
  label: string;
  value: number | undefined;
  /** Undefined while its numbers are loading. */
  text: string | undefined;
  /** Shows films at the end of the card. */
  films?: boolean;
  children?: ReactNode;
}

function StatCard({ label, value, text, films = false, children }: CardProps) {
  return (
    <Flex as="article" layerStyle="card" direction="column" position="relative" px="22px" py="5" minH={{ md: '164px' }}>
      <Heading
        as="h2"
        fontSize="sm"
        lineHeight="1.5"
        fontWeight="semibold"
        color="fg.muted"
        {...(films && besideFilms)}
      >
        {label}
      </Heading>
      {value === undefined ? (
        <Waiting h="38px" w="55%" mt="2.5" />
      ) : (
        <Text textStyle="total" mt="2.5">
          {formatNumber(value)}
        </Text>
      )}
      <Box mt="auto" pt="4">
        {films && <Films />}
        {children}
        {text === undefined ? (
          <Waiting h="14px" w="70%" />
        ) : (
          <Text fontSize="sm" color="fg.muted">
            {text}
          </Text>
        )}
      </Box>
    </Flex>
  );
}

const besideFilms = { pe: { base: '120px', md: '0', xl: '120px' } };

/** Three films as decoration. */
const Films = () => (
  <Flex aria-hidden position="absolute" insetEnd="5" top="5" display={{ base: 'flex', md: 'none', xl: 'flex' }}>
    {[hand, spine, chest].map((src) => (
      <Box
        key={src}
        w="50px"
        aspectRatio=".8"
        ms="-16px"
        borderRadius="film"
        overflow="hidden"
        bg="film.bg"
        boxShadow="0 0 0 2px var(--chakra-colors-bg-surface)"
      >
        <Box asChild boxSize="full" objectFit="cover">
          <img src={src} alt="" width={50} height={63} />
        </Box>
      </Box>
    ))}
  </Flex>
);

const Bar = ({ share }: { share: number }) => (
  <Box aria-hidden h="8px" borderRadius="8px" overflow="hidden" bg="bg.subtle" mb="9px">
    <Box
      h="full"
      borderRadius="2px"
      minW={share > 0 ? '6px' : '0'}
      layerStyle="lamp"
      style={{ width: `${share * 100}%` }}
    />
  </Box>
);

/** Lists the number of users by role. */
function Roles({ of }: { of: NonNullable<Stats['usersByRole']> }) {
  const { t } = useTranslation();
  return (
    <Flex as="ul" listStyleType="none" wrap="wrap" columnGap="4" rowGap="1" fontSize="sm" mb="2">
      {roles.map((role) => (
        <Box as="li" key={role} fontVariantNumeric="tabular-nums">
          {t(`users.stats.of.${role}`, { count: of[role] })}
        </Box>
      ))}
    </Flex>
  );
}

export function StatCards() {
  const { t } = useTranslation();
  const all = useMay('image.listAll');
  const { data } = useQuery(stats);
  const { totalImages, sharedImages, totalUsers, usersByRole } = data?.data ?? {};
  const share = totalImages ? (sharedImages ?? 0) / totalImages : 0;
  return (
    <Grid templateColumns={{ base: '1fr', md: 'repeat(3, minmax(0, 1fr))' }} gap={{ base: '3', md: 'block' }} mb="22px">
      <StatCard
        label={t('users.stats.images')}
        value={totalImages}
        text={t(all ? 'users.stats.imagesText' : 'users.stats.imagesOwn')}
        films
      />
      <StatCard
        label={t('users.stats.shared')}
        value={sharedImages}
        text={data && t(all ? 'users.stats.sharedText' : 'users.stats.sharedOwn', { share: formatPercent(share) })}
      >
        <Bar share={share} />
      </StatCard>
      <StatCard
        label={t('users.stats.users')}
        value={totalUsers}
        text={t(all ? 'users.stats.usersText' : 'users.stats.usersOwn')}
      >
        {usersByRole && <Roles of={usersByRole} />}
      </StatCard>
    </Grid>
  );
}
