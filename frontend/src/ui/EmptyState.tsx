import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import type { Icon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';

interface Props {
  Icon: Icon;
  title: string;
  text?: ReactNode;
  /** The button or link for the next step. */
  act?: ReactNode;
  /** The level of the heading on its page. */
  as?: 'h1' | 'h2' | 'h3';
}

/** Shown where a list is empty: explains the list and offers the next step. */
export function EmptyState({ Icon, title, text, act, as = 'h2' }: Props) {
  return (
    <Flex direction="column" align="center" textAlign="center" gap="3" py="10" px="4">
      <Box
        boxSize="92px"
        display="grid"
        placeItems="center"
        borderRadius="24px"
        color="accent.fg"
        backgroundImage="radial-gradient(circle at 50% 35%, var(--chakra-colors-warning-subtle), var(--chakra-colors-accent-subtle))"
        mb="1"
      >
        <Icon size={44} weight="duotone" aria-hidden />
      </Box>
      <Heading as={as} fontSize="md" lineHeight="1.35">
        {title}
      </Heading>
      {text && (
        <Text color="fg.muted" fontSize="sm" maxW="38ch">
          {text}
        </Text>
      )}
      {act && <Box mt="1">{act}</Box>}
    </Flex>
  );
}
