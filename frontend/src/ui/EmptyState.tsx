import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import type { Icon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';

interface Props {
  Icon: Icon;
  title: string;
  text?: ReactNode;
  /** What to do next. */
  act?: ReactNode;
  /** The heading's level on its page. */
  as?: 'h1' | 'h2' | 'h3';
}

/** Nothing here: what this is, and what to do next. */
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
