import { Box } from '@chakra-ui/react';

interface Props {
  values: readonly number[];
  /** A sentence that says the values of the chart. */
  label: string;
}

const STEP = 10;
const HEIGHT = 44;

/** Draws a bar for each value, the newest at the end. A value of zero is a thin line, so that the days stay countable. */
export function Bars({ values, label }: Props) {
  const most = Math.max(1, ...values);
  return (
    <Box asChild w="full" h="56px" display="block" color="accent.solid" _rtl={{ transform: 'scaleX(-1)' }}>
      <svg role="img" aria-label={label} viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        {values.map((value, i) => {
          const height = value > 0 ? Math.max(3, (value / most) * HEIGHT) : 1;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a bar.
              key={i}
              x={i * STEP + 1.5}
              y={HEIGHT - height}
              width={STEP - 3}
              height={height}
              fill={value > 0 ? 'currentColor' : 'var(--chakra-colors-border-control)'}
            />
          );
        })}
      </svg>
    </Box>
  );
}
