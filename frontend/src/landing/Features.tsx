import { Box, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import {
  ChatsCircleIcon,
  ClipboardTextIcon,
  ClockCountdownIcon,
  type Icon,
  LockSimpleIcon,
  RobotIcon,
  ScanIcon,
  SparkleIcon,
  UsersThreeIcon,
} from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatPercent } from '../lib/format';
import { RoleBadge } from '../ui/Badge';
import abdomen from '../ui/films/abdomen.webp';
import { FilmMark } from '../ui/ImageWell';
import { UserAvatar } from '../ui/UserAvatar';
import { Section } from './Section';

interface CardProps {
  Icon: Icon;
  title: string;
  text: string;
  big?: boolean;
  /** A drawing of the feature, hidden from screen readers. */
  children?: ReactNode;
  /** A picture at the end of the card, without padding. */
  picture?: ReactNode;
}

function Feature({ Icon, title, text, big = false, children, picture }: CardProps) {
  return (
    <Flex
      as="article"
      layerStyle="card"
      borderRadius="sheet"
      overflow="hidden"
      direction={{ base: 'column', sm: 'row' }}
      gridColumn={{ base: 'span 6', md: big ? 'span 6' : 'span 2', lg: big ? 'span 3' : 'span 2' }}
      minH={big ? { md: '284px' } : '0'}
    >
      <Flex direction="column" gap="1.5" flex="1" minW="0" p={big ? { base: '6', md: '30px' } : '26px'}>
        <Box color="accent.fg" mb="3">
          <Icon size={28} aria-hidden />
        </Box>
        <Heading as="h3" fontSize={big ? 'xl' : '1.125rem'}>
          {title}
        </Heading>
        <Text color="fg.muted" fontSize=".9375rem">
          {text}
        </Text>
        {children && (
          <Box mt="auto" pt="4" aria-hidden>
            {children}
          </Box>
        )}
      </Flex>
      {picture}
    </Flex>
  );
}

const Inset = ({ children }: { children: ReactNode }) => (
  <Box layerStyle="card" px="4" py="3.5">
    {children}
  </Box>
);

function RunningShare() {
  const { t } = useTranslation();
  const [firstname = '', lastname = ''] = t('landing.bento.endsName').split(' ');
  return (
    <Inset>
      <Flex align="center" gap="3" mb="3">
        <UserAvatar person={{ firstname, lastname }} size="sm" />
        <Box flex="1" minW="0">
          <Text fontWeight="semibold" truncate>
            {t('landing.bento.endsName')}
          </Text>
          <Text fontSize="xs" color="fg.muted">
            {t('landing.bento.endsState')}
          </Text>
        </Box>
        <Box display={{ base: 'none', sm: 'block' }}>
          <RoleBadge name="patient" />
        </Box>
        <Box
          borderWidth="1px"
          borderColor="danger.fg"
          color="danger.fg"
          borderRadius="9px"
          px="3"
          py="1"
          fontSize="sm"
          fontWeight="semibold"
        >
          {t('landing.bento.revoke')}
        </Box>
      </Flex>
      <Flex align="center" gap="2.5" fontSize="xs" color="fg.muted">
        <Box
          flex="1"
          h="4px"
          borderRadius="4px"
          overflow="hidden"
          bg="color-mix(in srgb, var(--chakra-colors-border-control) 34%, transparent)"
        >
          <Box h="full" w="34%" borderRadius="4px" layerStyle="lamp" />
        </Box>
        {t('landing.bento.endsLeft')}
      </Flex>
    </Inset>
  );
}

const bubble = { maxW: '84%', px: '3.5', py: '2.5', fontSize: '.9375rem', lineHeight: '1.4' } as const;

function Bubbles() {
  const { t } = useTranslation();
  return (
    <Flex direction="column" gap="2">
      <Box
        {...bubble}
        alignSelf="flex-start"
        bg="chat.other"
        color="chat.otherText"
        borderRadius="float"
        borderEndStartRadius="5px"
      >
        {t('landing.bento.messagesAsk')}
      </Box>
      <Box
        {...bubble}
        alignSelf="flex-end"
        bg="chat.own"
        color="chat.ownText"
        borderRadius="float"
        borderEndEndRadius="5px"
      >
        {t('landing.bento.messagesAnswer')}
      </Box>
    </Flex>
  );
}

function SecondLook() {
  const { t } = useTranslation();
  return (
    <Inset>
      <Flex
        align="center"
        gap="3"
        px="3"
        py="2.5"
        borderRadius="box"
        bg="warning.subtle"
        color="warning.onSubtle"
        fontSize="sm"
        fontWeight="semibold"
      >
        <RobotIcon size={20} />
        {t('landing.bento.aiNote')}
      </Flex>
      <Flex align="center" gap="3.5" mt="3" fontSize="sm">
        {t('landing.bento.confidence')}
        <Box flex="1" h="8px" borderRadius="8px" bg="bg.subtle" boxShadow="inset 0 0 0 1px var(--chakra-colors-border)">
          <Box h="full" w="78%" borderRadius="8px" bg="accent.solid" />
        </Box>
        <Text fontWeight="semibold" fontVariantNumeric="tabular-nums">
          {formatPercent(0.78)}
        </Text>
      </Flex>
    </Inset>
  );
}

function Slice() {
  return (
    <Box position="relative" w={{ base: 'full', sm: '250px' }} minH="220px" flex="none" bg="film.bg" aria-hidden>
      <Box asChild position="absolute" inset="0" boxSize="full" objectFit="cover">
        <img src={abdomen} alt="" width={720} height={756} loading="lazy" />
      </Box>
      <FilmMark at="tl">CT</FilmMark>
      <FilmMark at="br">48/96</FilmMark>
    </Box>
  );
}

export function Features() {
  const { t } = useTranslation();
  const words = (key: 'dicom' | 'ends' | 'upload' | 'roles' | 'audit' | 'messages' | 'ai') => ({
    title: t(`landing.bento.${key}`),
    text: t(`landing.bento.${key}Text`),
  });
  return (
    <Section id="features" title={t('landing.bento.title')}>
      <Grid templateColumns="repeat(6, minmax(0, 1fr))" gap="block">
        <Feature big Icon={ScanIcon} {...words('dicom')} picture={<Slice />} />
        <Feature big Icon={ClockCountdownIcon} {...words('ends')}>
          <RunningShare />
        </Feature>
        <Feature Icon={LockSimpleIcon} {...words('upload')} />
        <Feature Icon={UsersThreeIcon} {...words('roles')} />
        <Feature Icon={ClipboardTextIcon} {...words('audit')} />
        <Feature big Icon={ChatsCircleIcon} {...words('messages')}>
          <Bubbles />
        </Feature>
        <Feature big Icon={SparkleIcon} {...words('ai')}>
          <SecondLook />
        </Feature>
      </Grid>
    </Section>
  );
}
