import { Box, Flex } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { LanguageSwitch } from '../ui/LanguageSwitch';
import { Logo } from '../ui/Mark';

/** The head of a page for people who are not signed in: the way to the start, and the other languages. */
export function PublicBar() {
  const { t } = useTranslation();
  return (
    <Flex
      as="header"
      minH="68px"
      flex="none"
      align="center"
      justify="space-between"
      wrap="wrap"
      px={{ base: '5', lg: '10' }}
    >
      <Box asChild display="flex">
        <Link to={paths.home} aria-label={t('common.appName')}>
          <Logo />
        </Link>
      </Box>
      <LanguageSwitch />
    </Flex>
  );
}
