import { Box } from '@chakra-ui/react';

interface Props {
  /** 0…1. */
  value: number;
  /** What is measured; without it the number beside it says all. */
  label?: string;
  /** The lamp fills it: something is under way. */
  lamp?: boolean;
}

/** A strip that fills: a share of something, or work under way. */
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
