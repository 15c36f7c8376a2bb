import { Box, Flex, type FlexProps } from '@chakra-ui/react';
import type { ReactNode } from 'react';

/** A list in a frame, with a line between its rows. */
export function Rows({ mt, children }: { mt?: string; children: ReactNode }) {
  return (
    <Box as="ul" listStyleType="none" borderWidth="1px" borderColor="border" borderRadius="box" {...(mt && { mt })}>
      {children}
    </Box>
  );
}

/** One row: a mark, its texts and its buttons. */
export function Row({ wrap = 'nowrap', children }: { wrap?: FlexProps['wrap']; children: ReactNode }) {
  return (
    <Flex
      as="li"
      align="center"
      gap="3"
      py="2"
      px="3"
      borderTopWidth="1px"
      borderColor="border"
      _first={{ borderTopWidth: '0' }}
      wrap={wrap}
    >
      {children}
    </Flex>
  );
}
