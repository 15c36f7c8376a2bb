import { Box, Heading, Text } from '@chakra-ui/react';
import { type ReactNode, useId } from 'react';

export function Section({
  id,
  title,
  text,
  children,
}: {
  id: string;
  title: string;
  text?: string;
  children: ReactNode;
}) {
  const heading = useId();
  return (
    <Box
      as="section"
      id={id}
      aria-labelledby={heading}
      maxW="1280px"
      mx="auto"
      px={{ base: '4', md: '6' }}
      pt={{ base: '16', md: '92px' }}
    >
      <Heading
        as="h2"
        id={heading}
        fontSize={{ base: '1.75rem', md: '3xl' }}
        lineHeight="1.12"
        letterSpacing="-.024em"
        maxW="30ch"
        textWrap="balance"
      >
        {title}
      </Heading>
      {text && (
        <Text fontSize="1.125rem" color="fg.muted" mt="3" maxW="56ch">
          {text}
        </Text>
      )}
      <Box mt={{ base: '7', md: '38px' }}>{children}</Box>
    </Box>
  );
}
