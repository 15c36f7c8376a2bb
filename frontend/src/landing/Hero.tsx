import { Box, Button, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import {
  ArrowRightIcon,
  ClipboardTextIcon,
  ClockCountdownIcon,
  ClockIcon,
  KeyIcon,
  LockKeyIcon,
  UsersIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import chest from '../ui/films/chest.webp';
import hand from '../ui/films/hand.webp';
import { FilmMark } from '../ui/ImageWell';
import { ClampedFilm, LitBox } from '../ui/LitBox';
import { useStart } from './Header';

function BoxFoot() {
  const { t } = useTranslation();
  return (
    <>
      <ClockCountdownIcon size={20} />
      <Text as="span" fontVariantNumeric="tabular-nums">
        {t('landing.box.ends')}
      </Text>
      <Box flex="1" minW="40px" h="4px" borderRadius="4px" bg="rgb(255 255 255/.16)" overflow="hidden">
        <Box
          h="full"
          w="76%"
          borderRadius="4px"
          backgroundImage="linear-gradient(90deg, #F08A24, #F5B13D)"
          boxShadow="0 0 8px #F5B13D"
        />
      </Box>
      <Flex align="center" gap="1.5">
        <UsersIcon size={20} />
        {t('landing.box.people')}
      </Flex>
    </>
  );
}

function UnlitFilm() {
  const { t } = useTranslation();
  return (
    <Flex
      direction="column"
      align="center"
      justify="center"
      gap="2"
      h={{ base: '128px', md: '214px' }}
      p="2.5"
      bg="#0C1A27"
      color="#D9E6F1"
      textAlign="center"
      borderRadius="film"
      boxShadow="0 10px 22px -8px rgb(10 30 50/.55)"
    >
      <Flex
        boxSize={{ base: '36px', md: '48px' }}
        borderRadius="full"
        bg="#16293A"
        align="center"
        justify="center"
        color="#FFC566"
      >
        <LockKeyIcon size={24} />
      </Flex>
      <Text fontWeight="semibold" fontSize={{ base: 'sm', md: 'md' }} lineHeight="1.3">
        {t('app.well.notVerified')}
      </Text>
      <Text fontSize="sm" color="#A9BCCB" maxW="20ch" display={{ base: 'none', md: 'block' }}>
        {t('landing.box.stays')}
      </Text>
    </Flex>
  );
}

/** An example of the product: two visible images and one that waits for its code. */
function ExampleBox() {
  const { t } = useTranslation();
  return (
    <Box role="img" aria-label={t('landing.box.label')}>
      <Box aria-hidden>
        <LitBox foot={<BoxFoot />}>
          <ClampedFilm src={chest} alt="" height="clamp(268px, 34vw, 448px)" clamped>
            <FilmMark at="tl">R</FilmMark>
            <FilmMark at="bl">14 NOV 2026</FilmMark>
            <FilmMark at="br">2494×2048</FilmMark>
          </ClampedFilm>
          <Flex direction="column" gap={{ base: '2.5', md: 'block' }} minW="0">
            <ClampedFilm src={hand} alt="" height="clamp(128px, 16.4vw, 216px)" clamped>
              <FilmMark at="tl">DX</FilmMark>
            </ClampedFilm>
            <UnlitFilm />
          </Flex>
        </LitBox>
      </Box>
    </Box>
  );
}

const facts = [
  { Icon: KeyIcon, text: 'factCode' },
  { Icon: ClockIcon, text: 'factEnds' },
  { Icon: ClipboardTextIcon, text: 'factRecord' },
] as const;

export function Hero() {
  const { t } = useTranslation();
  const start = useStart();
  return (
    <Grid
      maxW="1280px"
      mx="auto"
      px={{ base: '4', md: '6' }}
      pt={{ base: '6', lg: '34px' }}
      pb={{ base: '72px', lg: '84px' }}
      templateColumns={{ base: 'minmax(0,1fr)', lg: 'minmax(0, 500px) minmax(0, 1fr)' }}
      gap={{ base: '10', lg: '58px' }}
      alignItems="center"
    >
      <Box>
        <Heading
          as="h1"
          fontSize={{ base: '2.625rem', md: '4xl' }}
          lineHeight="1.04"
          letterSpacing="-.032em"
          fontWeight="700"
          textWrap="balance"
        >
          {t('landing.hero')}
        </Heading>
        <Text
          fontSize="lg"
          lineHeight="1.5"
          color={{ _light: '#2C4153', _dark: 'fg.muted' }}
          mt="22px"
          mb="30px"
          maxW="43ch"
        >
          {t('landing.heroText')}
        </Text>
        <Flex gap="3" wrap="wrap">
          <Button asChild size="lg">
            <Link to={start ?? paths.register}>
              {t('landing.start')}
              <ArrowRightIcon mirrored={document.dir === 'rtl'} aria-hidden />
            </Link>
          </Button>
          <Button asChild variant="outline" size="lg">
            <a href="#how">{t('landing.seeHow')}</a>
          </Button>
        </Flex>
        <Flex
          as="ul"
          listStyleType="none"
          gapX="22px"
          gapY="2.5"
          mt="34px"
          wrap="wrap"
          fontSize=".90625rem"
          color={{ _light: '#2C4153', _dark: 'fg.muted' }}
        >
          {facts.map(({ Icon, text }) => (
            <Flex as="li" key={text} align="center" gap="7px">
              <Icon size={20} aria-hidden />
              {t(`landing.${text}`)}
            </Flex>
          ))}
        </Flex>
      </Box>
      <ExampleBox />
    </Grid>
  );
}

const numbers = [
  { value: '500K+', text: 'uploads' },
  { value: '24/7', text: 'access' },
  { value: '1M+', text: 'images' },
] as const;

export function Numbers() {
  const { t } = useTranslation();
  return (
    <Box
      as="section"
      aria-label={t('landing.stats.label')}
      maxW="1280px"
      mx="auto"
      px={{ base: '4', md: '6' }}
      mt="-40px"
      position="relative"
    >
      <Grid
        as="dl"
        // With large text on a phone, the numbers stand below each other.
        templateColumns="repeat(auto-fit, minmax(6rem, 1fr))"
        rowGap="4"
        bg="bg.surface"
        borderRadius="panel"
        boxShadow="panel"
        py={{ base: '5', md: '30px' }}
        px={{ base: '0', md: '2.5' }}
      >
        {numbers.map(({ value, text }) => (
          <Flex
            key={text}
            direction="column-reverse"
            px={{ base: '3', md: '34px' }}
            borderInlineStartWidth="1px"
            _first={{ borderInlineStartWidth: '0' }}
            alignItems={{ base: 'center', md: 'flex-start' }}
          >
            <Box as="dt" color="fg.muted">
              {t(`landing.stats.${text}`)}
            </Box>
            <Box
              as="dd"
              fontSize={{ base: '1.625rem', md: '2.875rem' }}
              fontWeight="700"
              letterSpacing="-.03em"
              lineHeight="1.05"
            >
              <bdi dir="ltr">{value}</bdi>
            </Box>
          </Flex>
        ))}
      </Grid>
    </Box>
  );
}
