import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import { useAtomValue } from 'jotai';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { titleCountAtom } from '../lib/title';

/** Sets the title of the browser tab, with the number of unread messages in front. Every screen calls it. */
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
  /** The title of the browser tab, when the h1 is too long or too private for a tab. */
  tabTitle?: string;
  /** One line below the title. */
  sub?: ReactNode;
  /** The main button of the screen, or a link, at the end of the title's line. */
  act?: ReactNode;
  /** Shown beside the title (a chip). */
  aside?: ReactNode;
  /** Shown above the title: the links to the parent pages. */
  crumbs?: ReactNode;
  children: ReactNode;
}

/** The frame of a signed-in screen: one h1, and content of at most 1440 px width. */
export function Page({ title, tabTitle = title, sub, act, aside, crumbs, children }: Props) {
  useTitle(tabTitle);
  return (
    <Box maxW="1440px" mx="auto">
      {crumbs}
      <Flex align={{ base: 'center', md: 'flex-end' }} gap="4" mb={{ base: '4', lg: '22px' }} wrap="wrap">
        <Box minW="0" flex="1 1 auto">
          <Flex align="center" gap="3" wrap="wrap">
            <Heading as="h1" textStyle="page">
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
