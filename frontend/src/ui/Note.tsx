import { Box, Flex } from '@chakra-ui/react';
import type { Icon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';

type Tone = 'warning' | 'accent' | 'danger' | 'success';

interface Props {
  Icon: Icon;
  tone?: Tone;
  /** The main sentence, in bold. */
  title: ReactNode;
  children?: ReactNode;
  role?: 'status' | 'alert';
}

/** A coloured box with an icon, a sentence and, below it, help or an action. */
export function Note({ Icon, tone = 'accent', title, children, role }: Props) {
  return (
    <Flex
      gap="3"
      px="4"
      py="13px"
      borderRadius="box"
      bg={`${tone}.subtle`}
      color={`${tone}.onSubtle`}
      fontSize=".90625rem"
      lineHeight="1.45"
      {...(role && { role })}
    >
      <Box flex="none" mt="1px">
        <Icon size={20} aria-hidden />
      </Box>
      <Box minW="0" flex="1">
        <Box as="strong" fontWeight="semibold">
          {title}
        </Box>
        {children && <Box>{children}</Box>}
      </Box>
    </Flex>
  );
}
