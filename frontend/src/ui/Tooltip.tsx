import { Tooltip as ChakraTooltip, Portal } from '@chakra-ui/react';
import type { ComponentProps, ReactElement } from 'react';

interface Props {
  content: string;
  disabled?: boolean;
  positioning?: ComponentProps<typeof ChakraTooltip.Root>['positioning'];
  children: ReactElement;
}

/** Shows the label of an icon on hover and focus. The icon still needs its own `aria-label`. */
export function Tooltip({ content, disabled = false, positioning, children }: Props) {
  return (
    <ChakraTooltip.Root disabled={disabled} openDelay={400} closeDelay={80} {...(positioning && { positioning })}>
      <ChakraTooltip.Trigger asChild>{children}</ChakraTooltip.Trigger>
      <Portal>
        <ChakraTooltip.Positioner>
          <ChakraTooltip.Content>{content}</ChakraTooltip.Content>
        </ChakraTooltip.Positioner>
      </Portal>
    </ChakraTooltip.Root>
  );
}
