import { Box, Flex, PinInput } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { codeIn } from '../lib/codeIn';

const boxes = Array.from({ length: limits.codeDigits }, (_, index) => index);

interface Props {
  value: string;
  onChange: (code: string) => void;
  /** The error text. With it all boxes turn red and the focus moves to the first empty box. */
  error?: string | undefined;
  /** False when another field before the code has an error too: the focus belongs there. */
  focusOnError?: boolean;
  /** Takes a pasted text in place of the boxes, when it returns true. */
  onPasted?: (text: string) => boolean;
  /** The help below the boxes while there is no error, such as how long the code is valid. */
  help?: React.ReactNode;
  /** The name of the field, if the screen shows one above the boxes. */
  label?: string;
  autoFocus?: boolean;
  disabled?: boolean;
}

const inputsOf = (root: HTMLElement | null) => [
  ...(root?.querySelectorAll<HTMLInputElement>('input:not([type=hidden]):not([aria-hidden=true])') ?? []),
];

/**
 * Six boxes in two groups of three, always from left to right. A paste fills all boxes, in any form that people copy;
 * backspace moves back. Digits of other scripts become Latin digits. A complete code is not submitted by itself: only the button uses up a try, so a typing error does not (WCAG 2.2,
 * 3.2.2).
 */
export function CodeInput({
  value,
  onChange,
  error,
  focusOnError = true,
  onPasted,
  help,
  label,
  autoFocus = false,
  disabled = false,
}: Props) {
  const { t } = useTranslation();
  const root = useRef<HTMLDivElement>(null);
  const note = useId();
  const held = useRef(value);
  held.current = value;
  // Focus the first empty box, so that a change of the error text does not move the focus while the person types.
  useEffect(() => {
    if (error && focusOnError) inputsOf(root.current)[held.current.length % limits.codeDigits]?.focus();
  }, [error, focusOnError]);
  const fill = (code: string) => {
    onChange(code);
    inputsOf(root.current)[Math.min(code.length, limits.codeDigits - 1)]?.focus();
  };
  // Keyboards insert a suggested code at once, and those of other scripts insert their own digits. React's own event lacks
  // both.
  useEffect(() => {
    const field = root.current;
    const insert = (event: InputEvent) => {
      const digits = codeIn(event.data ?? '');
      if (!digits || event.data === digits) return;
      event.preventDefault();
      event.stopPropagation();
      const old = held.current;
      const at = digits.length > 1 ? 0 : Math.max(0, inputsOf(field).indexOf(event.target as HTMLInputElement));
      fill((old.slice(0, at) + digits + old.slice(at + digits.length)).slice(0, limits.codeDigits));
    };
    field?.addEventListener('beforeinput', insert, true);
    return () => field?.removeEventListener('beforeinput', insert, true);
  });
  return (
    <Box ref={root}>
      <PinInput.Root
        otp
        type="numeric"
        placeholder=""
        count={limits.codeDigits}
        value={boxes.map((index) => value[index] ?? '')}
        onValueChange={({ valueAsString }) => onChange(valueAsString.replace(/[^0-9]/g, ''))}
        invalid={Boolean(error)}
        disabled={disabled}
        autoFocus={autoFocus}
        // The arrow keys move from left to right too.
        dir="ltr"
        translations={{
          inputLabel: (index, count) => t('app.code.digit', { index: index + 1, count }),
        }}
      >
        <PinInput.HiddenInput />
        <PinInput.Control
          role="group"
          aria-label={label ?? t('app.code.label', { count: limits.codeDigits })}
          aria-describedby={note}
          dir="ltr"
          display="flex"
          gap={{ base: '2', sm: '2.5' }}
          onPasteCapture={(event) => {
            event.preventDefault();
            event.stopPropagation();
            const text = event.clipboardData.getData('text');
            const code = codeIn(text);
            if (!onPasted?.(text) && code) fill(code);
          }}
          // The boxes stop Enter from submitting the form. Submit it here as any other field does: also when digits are
          // missing, but not while its button is disabled. A key that is held down would use up a try each time.
          onKeyDown={(event) => {
            const form = event.currentTarget.closest('form');
            if (event.key !== 'Enter' || event.repeat || form?.querySelector('[type=submit]:disabled')) return;
            form?.requestSubmit();
          }}
        >
          {boxes.map((index) => (
            <PinInput.Input
              key={index}
              index={index}
              flex="1"
              minW="0"
              w="auto"
              maxW="60px"
              h={{ base: '58px', sm: '60px' }}
              px="0"
              borderWidth="1.5px"
              borderRadius="box"
              fontFamily="mono"
              fontSize="26px"
              fontWeight="semibold"
              ms={index === limits.codeDigits / 2 ? { base: '2', sm: '3' } : '0'}
              {...(error && { color: 'fg.error' })}
            />
          ))}
        </PinInput.Control>
      </PinInput.Root>
      <Flex
        id={note}
        gap="1.5"
        mt="3"
        fontSize="xs"
        color={error ? 'fg.error' : 'fg.muted'}
        role={error ? 'alert' : undefined}
      >
        {error && <WarningCircleIcon size={17} aria-hidden style={{ flex: 'none', marginTop: 1 }} />}
        {error ? (
          <Box as="span" fontWeight="medium" fontSize=".84375rem">
            {error}
          </Box>
        ) : (
          help
        )}
      </Flex>
    </Box>
  );
}
