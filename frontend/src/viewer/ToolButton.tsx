import { chakra, Text } from '@chakra-ui/react';
import type { Icon } from '@phosphor-icons/react';

interface Props {
  Icon: Icon;
  label: string;
  /** The key of the same tool, shown in the corner. */
  hint?: string | undefined;
  pressed?: boolean | undefined;
  onClick: () => void;
  disabled?: boolean;
}

/** The key in the corner. It is no text of the button, so that its name is its label alone. */
const keyMark = {
  '&::after': {
    content: 'attr(data-key)',
    position: 'absolute',
    top: '3px',
    right: '6px',
    fontFamily: 'mono',
    fontSize: '11px',
    color: 'viewer.muted',
    hideBelow: 'lg',
  },
  '&[aria-pressed=true]::after': { color: 'viewer.activeText' },
} as const;

/** A labelled tool of the viewer with its key, in the colours of film. */
export function ToolButton({ Icon, label, hint, pressed, onClick, disabled = false }: Props) {
  return (
    <chakra.button
      type="button"
      onClick={onClick}
      disabled={disabled}
      aria-pressed={pressed}
      aria-label={label}
      {...(hint && { 'aria-keyshortcuts': hint, 'data-key': hint, css: keyMark })}
      position="relative"
      display="flex"
      flexDirection="column"
      alignItems="center"
      justifyContent="center"
      gap="3px"
      flex="none"
      w={{ base: '68px', lg: '75px' }}
      minH={{ base: '54px', lg: '51px' }}
      borderRadius="control"
      color={pressed ? 'viewer.activeText' : 'viewer.text'}
      bg={pressed ? 'viewer.active' : 'transparent'}
      cursor="pointer"
      transition="background-color"
      transitionDuration="fade"
      _hover={{ bg: pressed ? 'viewer.active' : 'viewer.panel' }}
      _focusVisible={{ outline: '3px solid', outlineColor: 'accent.focusRing', outlineOffset: '-3px' }}
      _disabled={{ color: 'viewer.control', cursor: 'not-allowed', bg: 'transparent' }}
    >
      <Icon size={22} weight={pressed ? 'fill' : 'regular'} aria-hidden />
      <Text as="span" fontSize="12.5px" fontWeight={pressed ? '600' : '400'} lineHeight="1.3" aria-hidden>
        {label}
      </Text>
    </chakra.button>
  );
}
