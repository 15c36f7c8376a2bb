import { Box, chakra } from '@chakra-ui/react';
import type { ComponentProps } from 'react';

interface Props extends ComponentProps<'input'> {
  options: readonly { value: string; label: string }[];
  /** The id of the group's label. */
  labelledBy: string;
  invalid?: boolean;
  /** The selected value, when it is stored outside of a form. */
  selected?: string;
}

/** A choice of a few values: native radio buttons, so that arrow keys and react-hook-form's `register` work. */
export function Segment({ options, labelledBy, invalid = false, selected, ...input }: Props) {
  return (
    <Box
      role="radiogroup"
      aria-labelledby={labelledBy}
      // On a phone more than four options get widths by their text, so that "24 hours" stays on one line. Large text needs
      // more lines.
      display={{ base: options.length > 4 ? 'flex' : 'grid', sm: 'grid' }}
      flexWrap="wrap"
      gridTemplateColumns={{
        base: 'repeat(auto-fit, minmax(4rem, 1fr))',
        sm: `repeat(${options.length}, minmax(0, 1fr))`,
      }}
      w="full"
      minH="field"
      borderWidth="1px"
      borderColor={invalid ? 'border.error' : 'border.control'}
      borderRadius="control"
      bg="bg.surface"
      overflow="clip"
      _focusWithin={{
        '&:has(:focus-visible)': { outline: '3px solid', outlineColor: 'accent.focusRing', outlineOffset: '2px' },
      }}
    >
      {options.map(({ value, label }) => (
        <chakra.label
          key={value}
          display="grid"
          placeItems="center"
          position="relative"
          flex="1 0 auto"
          minH="40px"
          maxW="full"
          px={{ base: '1', sm: '2' }}
          cursor="pointer"
          fontSize={{ base: options.length > 3 ? 'sm' : '.9375rem', sm: '.9375rem' }}
          fontWeight="medium"
          textAlign="center"
          borderInlineStartWidth="1px"
          borderColor="border"
          _first={{ borderInlineStartWidth: '0' }}
          transition="background-color, color"
          transitionDuration="fade"
          css={{
            '&:not(:has(:checked)):hover': { bg: 'bg.muted' },
            '&:has(:checked)': { bg: 'accent.solid', color: 'accent.contrast', fontWeight: '650' },
            '@media (forced-colors: active)': { '&:has(:checked)': { bg: 'Highlight' } },
          }}
        >
          <chakra.input
            type="radio"
            value={value}
            position="absolute"
            inset="0"
            opacity="0"
            cursor="pointer"
            {...(selected !== undefined && { checked: selected === value })}
            {...input}
          />
          {label}
        </chakra.label>
      ))}
    </Box>
  );
}
