import { Box } from '@chakra-ui/react';

interface Props {
  /** From 0 to 1. */
  value: number;
  /**
   * The accessible name, needed with `lamp`. Without `lamp` the meter is hidden: the number beside it says the same.
   */
  label?: string;
  /** True for the progress of running work: an amber bar. */
  lamp?: boolean;
}

/** A horizontal bar that shows a share of a whole, or the progress of running work. */
export function Meter({ value, label, lamp = false }: Props) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  const role = lamp
    ? { role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': percent, 'aria-label': label }
    : { 'aria-hidden': true };
  return (
    <Box
      {...role}
      h={lamp ? '6px' : '10px'}
      w="full"
      borderRadius="full"
      overflow="hidden"
      bg={lamp ? 'color-mix(in srgb, var(--chakra-colors-border-control) 34%, transparent)' : 'bg.subtle'}
      borderWidth={lamp ? '0' : '1px'}
      borderColor="border"
    >
      <Box
        h="full"
        borderRadius="full"
        style={{ width: `${percent}%` }}
        transition="width"
        transitionDuration="slide"
        {...(lamp
          ? {
              backgroundImage: 'linear-gradient(90deg, #F08A24, var(--chakra-colors-lamp))',
              _rtl: { backgroundImage: 'linear-gradient(270deg, #F08A24, var(--chakra-colors-lamp))' },
            }
          : { bg: 'accent.solid' })}
      />
    </Box>
  );
}
