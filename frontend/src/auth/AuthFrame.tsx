import { Box, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import { QuestionIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { usePublicLimits } from '../lib/publicLimits';
import { useIsDesktop } from '../lib/useMedia';
import { BackLink } from '../ui/BackLink';
import { ClinicLine } from '../ui/ClinicLine';
import chest from '../ui/films/chest.webp';
import { InfoLinks } from '../ui/InfoLinks';
import { Lamp } from '../ui/Lamp';
import { LanguageSwitch } from '../ui/LanguageSwitch';
import { ClampedFilm, LitBox } from '../ui/LitBox';
import { Logo } from '../ui/Mark';
import { useTitle } from '../ui/Page';
import { HelpDialog } from './HelpDialog';
import { SideColumn } from './SideColumn';

/** The column beside the form on a wide screen, with a short description of the product. */
function Side() {
  const { t } = useTranslation();
  return (
    <SideColumn minH="640px">
      <Box my="auto" maxW="400px">
        <Box maxW="330px" mb="9" aria-hidden>
          <LitBox columns="1fr">
            <ClampedFilm src={chest} alt="" height="320px" clamped />
          </LitBox>
        </Box>
        <Text fontSize="2xl" lineHeight="1.15" fontWeight="700" letterSpacing="-.024em" textWrap="balance">
          {t('auth.tagline')}
        </Text>
        <Text color="fg.muted" mt="3" maxW="38ch">
          {t('auth.taglineText')}
        </Text>
      </Box>
    </SideColumn>
  );
}

interface Props {
  title: string;
  /** The title of the browser tab; the h1 changes with the steps. */
  tabTitle?: string;
  sub?: ReactNode;
  /** Shown in a soft square above the title. */
  badge?: ReactNode;
  /** False hides the link to /, on a final screen. */
  home?: boolean;
  /** False hides the help with logging in, on screens for people without an account. */
  help?: boolean;
  children: ReactNode;
}

/** The frame of the screens without a session: one panel, with the help at its bottom. */
export function AuthFrame({ title, tabTitle = title, sub, badge, home = true, help = true, children }: Props) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  useTitle(tabTitle);
  const clinic = usePublicLimits();
  return (
    <Grid
      templateColumns={{ base: 'minmax(0,1fr)', lg: 'minmax(360px, .72fr) minmax(0, 1fr)' }}
      minH="100dvh"
      layerStyle="entry"
    >
      {desktop && <Side />}
      <Flex
        direction="column"
        minW="0"
        pt={{ lg: '14px' }}
        pb={{ base: '2', lg: '14px' }}
        ps={{ base: '2', lg: '0' }}
        pe={{ base: '2', lg: '14px' }}
      >
        {!desktop && (
          <Flex as="header" minH="68px" align="center" justify="space-between" wrap="wrap" ps="3.5" pe="2.5">
            <Link to={paths.home} aria-label={t('common.appName')} style={{ display: 'flex' }}>
              <Logo />
            </Link>
            <Flex wrap="wrap">
              <LanguageSwitch />
              {home && <HomeLink />}
            </Flex>
          </Flex>
        )}
        <Flex
          as="main"
          direction="column"
          layerStyle="lit"
          flex="1"
          borderRadius={{ base: '22px', lg: 'panel' }}
          px={{ base: '5', md: '10' }}
          pt={{ base: '7', lg: '6' }}
          pb="block"
        >
          <Lamp />
          {desktop && (
            <Flex justify="flex-end" minH="10">
              <LanguageSwitch />
              {home && <HomeLink />}
            </Flex>
          )}
          <Box w="full" maxW="420px" mx="auto" my={{ base: '0', lg: 'auto' }} py={{ base: '0', lg: '6' }}>
            {badge && (
              <Box
                boxSize="54px"
                borderRadius="float"
                display="grid"
                placeItems="center"
                mb="block"
                bg="accent.subtle"
                color="accent.onSubtle"
              >
                {badge}
              </Box>
            )}
            <Heading as="h1" textStyle="page" fontSize={{ base: '1.6875rem', lg: '2xl' }}>
              {title}
            </Heading>
            {sub && (
              <Box color="fg.muted" mt="1.5">
                {sub}
              </Box>
            )}
            <Box mt="26px">{children}</Box>
          </Box>
          <Box mt="auto" pb="3">
            <ClinicLine of={clinic} textAlign="center" />
            <InfoLinks justify="center" mt="1" />
          </Box>
          {help && (
            <Flex
              w="full"
              maxW="420px"
              mx="auto"
              pt="4"
              gap="2"
              align="center"
              justify="center"
              borderTopWidth="1px"
              fontSize="sm"
              color="fg.muted"
            >
              <QuestionIcon size={20} aria-hidden />
              <span>
                {t('auth.help.ask')} <HelpDialog />
              </span>
            </Flex>
          )}
        </Flex>
      </Flex>
    </Grid>
  );
}

function HomeLink() {
  const { t } = useTranslation();
  return (
    <BackLink to={paths.home} variant="ghost" size="sm" h="touch">
      {t('auth.home')}
    </BackLink>
  );
}
