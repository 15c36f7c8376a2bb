import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import type { Icon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';

interface Props {
  Icon: Icon;
  title: string;
  text: string;
  act?: { label: string; onClick: () => void; busy?: boolean } | undefined;
  more?: ReactNode;
}

/** A sentence in place of a picture: why there is none, and the next step. */
export function Message({ Icon, title, text, act, more }: Props) {
  return (
    <Flex direction="column" align="center" textAlign="center" gap="3" color="viewer.text" role="status" px="6">
      <Box color="viewer.active">
        <Icon size={44} weight="duotone" aria-hidden />
      </Box>
      <Heading as="h2" fontSize="md">
        {title}
      </Heading>
      <Text color="viewer.muted" fontSize="sm" maxW="44ch">
        {text}
      </Text>
      {act && (
        <Button size="sm" onClick={act.onClick} loading={act.busy ?? false} loadingText={act.label}>
          {act.label}
        </Button>
      )}
      {more}
    </Flex>
  );
}
