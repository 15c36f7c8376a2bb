import { Flex, type FlexProps } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { WarningCircleIcon } from '@phosphor-icons/react';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';

/** The counter appears from this length on. */
const closeToLimit = limits.messageLength - 200;

/** Shows how many characters are left, near the limit only. */
export function LengthNote({ text, ...style }: { text: string } & FlexProps) {
  const { t } = useTranslation();
  const length = text.trim().length;
  if (length < closeToLimit) return null;
  const left = limits.messageLength - length;
  return (
    <Flex as="span" align="center" gap="1.5" {...(left < 0 && { color: 'fg.error', fontWeight: 'medium' })} {...style}>
      {left < 0 && <WarningCircleIcon size={16} aria-hidden />}
      {left < 0 ? t('messages.over', { count: -left }) : t('messages.left', { count: left })}
    </Flex>
  );
}

/** Enter sends, Shift and Enter starts a new line. Enter that ends an IME composition (Urdu, Chinese) does neither. */
export const sendsOn = (event: KeyboardEvent) =>
  event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing;
