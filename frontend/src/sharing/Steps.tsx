import { Flex, IconButton, Text } from '@chakra-ui/react';
import { CaretLeftIcon, CaretRightIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';

interface Props {
  previous: string;
  next: string;
  /** The place and the number of all, in words. */
  text: string;
  isFirst: boolean;
  isLast: boolean;
  /** Called with -1 or 1. */
  onStep: (by: number) => void;
  /** Controls of the current one. */
  children?: ReactNode;
}

/** Goes through frames or images, one by one. */
export function Steps({ previous, next, text, isFirst, isLast, onStep, children }: Props) {
  const mirrored = document.dir === 'rtl';
  return (
    <Flex align="center" gap="2" wrap="wrap">
      <IconButton size="sm" variant="outline" aria-label={previous} disabled={isFirst} onClick={() => onStep(-1)}>
        <CaretLeftIcon mirrored={mirrored} />
      </IconButton>
      <Text fontSize="sm" fontVariantNumeric="tabular-nums" role="status">
        {text}
      </Text>
      <IconButton size="sm" variant="outline" aria-label={next} disabled={isLast} onClick={() => onStep(1)}>
        <CaretRightIcon mirrored={mirrored} />
      </IconButton>
      {children}
    </Flex>
  );
}
