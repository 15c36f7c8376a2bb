import { Box } from '@chakra-ui/react';

interface Props {
  /** From 0 to 1. */
  value: number;
  /** The name of running work, whose progress is an amber bar. Without a name the meter is hidden: the number beside it says the same. */
  label?: string;
}

/** A horizontal bar that shows a share of a whole, or the progress of running work. */
export function Meter({ value, label }: Props) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  const isProgress = label !== undefined;
  const role = isProgress
    ? { role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': percent, 'aria-label': label }
    : { 'aria-hidden': true };
  return (
    <Box
      {...role}
      h={isProgress ? '6px' : '10px'}
      w="full"
      borderRadius="full"
      overflow="hidden"
      bg={isProgress ? 'color-mix(in srgb, var(--chakra-colors-border-control) 34%, transparent)' : 'bg.subtle'}
      borderWidth={isProgress ? '0' : '1px'}
      borderColor="border"
    >
      <Box
        h="full"
        borderRadius="full"
        style={{ width: `${percent}%` }}
        transition="width"
        transitionDuration="slide"
        {...(isProgress ? { layerStyle: 'lamp' } : { bg: 'accent.solid' })}
      />
    </Box>
  );
}
