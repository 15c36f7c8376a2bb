import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { titleCountAtom } from '../lib/title';

/** The tab's title; every screen has one, and what is unread stands before it. */
export function useTitle(title: string) {
  const { t } = useTranslation();
  const name = t('common.appName');
  const unread = useAtomValue(titleCountAtom);
  useEffect(() => {
    const full = title === name ? name : `${title} · ${name}`;
    document.title = unread ? `(${unread}) ${full}` : full;
  }, [title, name, unread]);
}

interface Props {
  title: string;
  /** For the browser's tab, where the h1 says more than a tab should. */
  tabTitle?: string;
  /** One line under the title. */
  sub?: ReactNode;
  /** The one solid act of the view, or a link, at the end of the line. */
  act?: ReactNode;
  /** Beside the title (a chip). */
  aside?: ReactNode;
  /** Above the title: the way back up. */
  crumbs?: ReactNode;
  children: ReactNode;
}

/** A screen inside the shell: its one h1, and the content at most 1440 px wide. */
export function Page({ title, tabTitle = title, sub, act, aside, crumbs, children }: Props) {
  useTitle(tabTitle);
  return (
    <Box maxW="1440px" mx="auto">
      {crumbs}
      <Flex align={{ base: 'center', md: 'flex-end' }} gap="4" mb={{ base: '4', lg: '22px' }} wrap="wrap">
        <Box minW="0" flex="1 1 auto">
          <Flex align="center" gap="3" wrap="wrap">
            <Heading as="h1" textStyle="page" dir="auto">
              {title}
            </Heading>
            {aside}
          </Flex>
          {sub && (
            <Text color="fg.muted" mt="1">
              {sub}
            </Text>
          )}
        </Box>
        {act}
      </Flex>
      {children}
    </Box>
  );
}
