import { Box, Button, chakra, Flex } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { sessionAtom } from '../auth/session';
import { paths, startOf } from '../lib/paths';
import { LanguageSwitch } from '../ui/LanguageSwitch';
import { Logo } from '../ui/Mark';
import { ThemeMenu } from '../ui/ThemeMenu';

/** Returns the first screen of a signed-in person; undefined without a session. */
export function useStart(): string | undefined {
  const { token, user } = useAtomValue(sessionAtom);
  return token && user ? startOf(user.role.name) : undefined;
}

/** Logo, language switch and button fit on 360 px in every language. */
const narrow = { base: '3.5', sm: '5' };

/** The buttons Login and Register, or Dashboard for a signed-in person. */
function Doors({ size = 'md' }: { size?: 'md' | 'lg' }) {
  const { t } = useTranslation();
  const start = useStart();
  if (start) {
    return (
      <Button asChild size={size} px={narrow}>
        <Link to={start}>{t('landing.dashboard')}</Link>
      </Button>
    );
  }
  return (
    <>
      <Button asChild variant="outline" size={size} px={narrow}>
        <Link to={paths.login}>{t('landing.login')}</Link>
      </Button>
      <Button asChild size={size} display={{ base: 'none', sm: 'inline-flex' }}>
        <Link to={paths.register}>{t('landing.register')}</Link>
      </Button>
    </>
  );
}

const Jump = chakra('a', {
  base: {
    px: '3.5',
    py: '2.5',
    fontWeight: 'medium',
    borderRadius: 'control',
    _hover: { textDecoration: 'underline', textUnderlineOffset: '4px' },
  },
});

export function Header() {
  const { t } = useTranslation();
  return (
    <Flex
      as="header"
      maxW="1280px"
      mx="auto"
      minH={{ base: '68px', md: '84px' }}
      px={{ base: '4', md: '6' }}
      align="center"
      wrap="wrap"
      gap="2"
    >
      <Link to={paths.home} aria-label={t('common.appName')} style={{ display: 'flex' }}>
        <Logo size={34} />
      </Link>
      <Flex as="nav" aria-label={t('landing.sections')} display={{ base: 'none', md: 'flex' }} ms="8">
        <Jump href="#how">{t('landing.how')}</Jump>
        <Jump href="#features">{t('landing.features')}</Jump>
      </Flex>
      <Flex ms="auto" align="center" wrap="wrap" gap={{ base: '0', md: '2' }}>
        <LanguageSwitch />
        {/* A phone has a theme setting of its own, and no space for one more button. */}
        <Box hideBelow="sm">
          <ThemeMenu />
        </Box>
        <Doors />
      </Flex>
    </Flex>
  );
}
