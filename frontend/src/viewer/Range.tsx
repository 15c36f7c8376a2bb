import { chakra } from '@chakra-ui/react';
import { type ComponentProps, type CSSProperties, useEffect, useState } from 'react';

/** The style of the slider in it. It stands apart, because the style of a component is computed each time it renders. */
export const RangeFrame = chakra('span', {
  base: {
    display: 'flex',
    minW: '0',
    '& > input': {
      flex: '1',
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
  },
});

type Props = Omit<ComponentProps<'input'>, 'type' | 'min' | 'max' | 'value'> & {
  min: number;
  max: number;
  value: number;
};

/** A slider, to be put into a RangeFrame. It is the native control: arrows, Home and End work, and it is never mirrored. */
export function Range({ min, max, value, onChange, ...rest }: Props) {
  // The picture follows in its next frame. Without this value, React would set the slider back before, and the browser
  // would then tell the old value at the end of a key press.
  const [moved, setMoved] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: A new value is that of the picture.
  useEffect(() => setMoved(undefined), [value]);
  const now = moved ?? value;
  const share = max > min ? (Math.min(max, Math.max(min, now)) - min) / (max - min) : 0;
  const part = { '--part': `${share * 100}%` } as CSSProperties;
  return (
    <input
      type="range"
      dir="ltr"
      min={min}
      max={max}
      value={now}
      style={part}
      {...rest}
      onChange={(event) => {
        setMoved(event.currentTarget.valueAsNumber);
        onChange?.(event);
      }}
    />
  );
}
