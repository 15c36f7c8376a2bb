import { Box, Flex } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { Logo } from '../ui/Mark';

/** The fixed column beside a form on a wide screen, with the link to the home page at its top. */
export function SideColumn({ minH, children }: { minH: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Flex
      as="aside"
      direction="column"
      ps="10"
      pe="9"
      pt="30px"
      pb="7"
      h="100dvh"
      minH={minH}
      alignSelf="start"
      position="sticky"
      top="0"
    >
      <Box asChild alignSelf="flex-start" display="flex">
        <Link to={paths.home} aria-label={t('common.appName')}>
          <Logo size={32} />
        </Link>
      </Box>
      {children}
    </Flex>
  );
}
