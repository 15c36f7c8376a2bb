import { Box, Flex, Heading, Table, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';

interface Props {
  wide: boolean;
  title: string;
  text?: string;
  children?: ReactNode;
}

/** The head of a group of settings: a row of the table, or an entry of the list on a phone. */
export function GroupHead({ wide, title, text, children }: Props) {
  const content = (
    <Flex align="center" gap="3" wrap="wrap" minH="36px">
      <Heading as="h2" textStyle="section" fontSize="md">
        {title}
      </Heading>
      {text && (
        <Text fontSize="sm" color="fg.muted" fontWeight="normal">
          {text}
        </Text>
      )}
      {children && <Box ms="auto">{children}</Box>}
    </Flex>
  );
  if (!wide)
    return (
      <Box as="li" px="4" py="2.5" bg="bg.subtle" borderTopWidth="1px">
        {content}
      </Box>
    );
  return (
    <Table.Row bg="bg.subtle">
      <Table.Cell colSpan={6} px="5" py="2" whiteSpace="normal">
        {content}
      </Table.Cell>
    </Table.Row>
  );
}
