import { chakra } from '@chakra-ui/react';
import type { ComponentProps, CSSProperties } from 'react';

const Input = chakra('input', {
  base: {
    appearance: 'none',
    minW: '0',
    h: { base: '44px', lg: '28px' },
    bg: 'transparent',
    cursor: 'pointer',
    borderRadius: 'control',
    _focusVisible: { outline: '3px solid', outlineColor: 'accent.focusRing', outlineOffset: '0' },
    _disabled: { cursor: 'not-allowed' },
    '&::-webkit-slider-runnable-track': {
      h: '6px',
      borderRadius: '6px',
      background: 'linear-gradient(90deg, {colors.viewer.active} var(--part), {colors.viewer.border} var(--part))',
    },
    '&::-moz-range-track': { h: '6px', borderRadius: '6px', bg: 'viewer.border' },
    '&::-moz-range-progress': { h: '6px', borderRadius: '6px', bg: 'viewer.active' },
    '&::-webkit-slider-thumb': {
      appearance: 'none',
      boxSize: '20px',
      mt: '-7px',
      borderRadius: '50%',
      bg: 'white',
      border: '3px solid {colors.viewer.active}',
    },
    '&::-moz-range-thumb': {
      boxSize: '16px',
      borderRadius: '50%',
      bg: 'white',
      border: '3px solid {colors.viewer.active}',
    },
    '&:disabled::-webkit-slider-thumb': { border: '3px solid {colors.viewer.control}', bg: 'viewer.muted' },
  },
});

type Props = Omit<ComponentProps<typeof Input>, 'type' | 'min' | 'max' | 'value'> & {
  min: number;
  max: number;
  value: number;
};

/** A slider in the colours of film. The native control: arrows, Home and End work, and it is never mirrored. */
export function Range({ min, max, value, ...rest }: Props) {
  const share = max > min ? (Math.min(max, Math.max(min, value)) - min) / (max - min) : 0;
  const part = { '--part': `${share * 100}%` } as CSSProperties;
  return <Input type="range" dir="ltr" min={min} max={max} value={value} style={part} {...rest} />;
}
