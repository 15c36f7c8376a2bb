import { Box, VisuallyHidden } from '@chakra-ui/react';
import { formatNumber } from '../lib/format';

/** A number on a row or an icon: blue for unread messages, amber (`lamp`) for tasks that wait. */
export function Count({ value, lamp = false, label }: { value: number; lamp?: boolean | undefined; label: string }) {
  return (
    <>
      <Box
        as="span"
        aria-hidden
        display="inline-grid"
        placeItems="center"
        minW="20px"
        h="20px"
        px="1.5"
        borderRadius="full"
        fontSize="12px"
        fontWeight="700"
        lineHeight="1"
        fontVariantNumeric="tabular-nums"
        bg={lamp ? 'lamp' : 'accent.solid'}
        color={lamp ? 'warning.contrast' : 'accent.contrast'}
      >
        {value > 99 ? '99+' : formatNumber(value)}
      </Box>
      <VisuallyHidden>{label}</VisuallyHidden>
    </>
  );
}
