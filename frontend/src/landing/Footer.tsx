import { Box, Button, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { Logo } from '../ui/Mark';
import { useStart } from './Header';

export function CallToAction() {
  const { t } = useTranslation();
  const start = useStart();
  return (
    <Box px={{ base: '4', md: '6' }} mt={{ base: '16', md: '96px' }}>
      <Flex
        as="section"
        maxW="1232px"
        mx="auto"
        position="relative"
        overflow="hidden"
        borderRadius="24px"
        color="white"
        backgroundImage="radial-gradient(520px 240px at 82% 0, #2D5F86, transparent), linear-gradient(#11395B, #0A2236)"
        px={{ base: '6', md: '56px' }}
        py={{ base: '9', md: '52px' }}
        align="center"
        gap="7"
        wrap="wrap"
      >
        <Box
          aria-hidden
          position="absolute"
          top="0"
          insetInline="20%"
          h="3px"
          backgroundImage="linear-gradient(90deg, transparent, #FFC566, transparent)"
        />
        <Box flex="1 1 300px">
          <Heading as="h2" fontSize={{ base: '1.75rem', md: '2.125rem' }} lineHeight="1.15" letterSpacing="-.022em">
            {t('landing.cta')}
          </Heading>
          <Text color="#C4D7E6" mt="2" fontSize="1.0625rem">
            {t('landing.ctaText')}
          </Text>
        </Box>
        <Flex gap="3" wrap="wrap">
          <Button
            asChild
            size="lg"
            bg="white"
            color="#0B2C47"
            _hover={{ bg: '#DCEBF8' }}
            css={{ '--focus-ring-color': '#FFD58F' }}
          >
            <Link to={start ?? paths.register}>{t(start ? 'landing.dashboard' : 'landing.register')}</Link>
          </Button>
          {!start && (
            <Button
              asChild
              size="lg"
              variant="outline"
              bg="transparent"
              borderColor="#7FA3C0"
              color="white"
              _hover={{ bg: 'rgb(255 255 255/.1)' }}
              css={{ '--focus-ring-color': '#FFD58F' }}
            >
              <Link to={paths.login}>{t('landing.login')}</Link>
            </Button>
          )}
        </Flex>
      </Flex>
    </Box>
  );
}

function Column({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box as="nav" aria-label={title}>
      <Heading as="h2" fontSize="sm" color="fg.muted" fontWeight="semibold" mb="2.5">
        {title}
      </Heading>
      <Flex
        as="ul"
        direction="column"
        listStyleType="none"
        css={{
          '& a': { display: 'inline-block', py: '1.5', minW: '24px' },
          '& a:hover': { textDecoration: 'underline', textUnderlineOffset: '4px' },
        }}
      >
        {children}
      </Flex>
    </Box>
  );
}

export function Footer() {
  const { t } = useTranslation();
  const start = useStart();
  return (
    <Grid
      as="footer"
      maxW="1280px"
      mx="auto"
      px={{ base: '4', md: '6' }}
      pt="16"
      pb="11"
      gap="10"
      fontSize=".9375rem"
      templateColumns={{ base: 'repeat(auto-fit, minmax(8rem, 1fr))', md: '2.4fr 1fr 1fr' }}
    >
      <Box gridColumn={{ base: '1 / -1', md: 'auto' }}>
        <Logo />
        <Text color="fg.muted" mt="3.5" maxW="38ch">
          {t('landing.foot.text')}
        </Text>
      </Box>
      <Column title={t('landing.foot.links')}>
        <li>
          <Link to={paths.home}>{t('landing.foot.home')}</Link>
        </li>
        <li>
          <a href="#features">{t('landing.features')}</a>
        </li>
        <li>
          <a href="#how">{t('landing.how')}</a>
        </li>
        <li>
          <Link to={paths.help}>{t('app.help')}</Link>
        </li>
        <li>
          <Link to={paths.privacy}>{t('app.privacy')}</Link>
        </li>
      </Column>
      <Column title={t('landing.foot.account')}>
        {start ? (
          <>
            <li>
              <Link to={start}>{t('landing.dashboard')}</Link>
            </li>
            <li>
              <Link to={paths.profile}>{t('app.menu.profile')}</Link>
            </li>
          </>
        ) : (
          <>
            <li>
              <Link to={paths.login}>{t('landing.login')}</Link>
            </li>
            <li>
              <Link to={paths.register}>{t('landing.register')}</Link>
            </li>
            <li>
              <Link to={paths.forgotPassword}>{t('landing.foot.forgot')}</Link>
            </li>
          </>
        )}
      </Column>
    </Grid>
  );
}
