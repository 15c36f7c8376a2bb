import { Box } from '@chakra-ui/react';
import { useNavigation } from 'react-router-dom';

/** The amber line at the top edge of a panel. It is also the loading bar: it grows while the page loads. */
export function Lamp({ waiting = false }: { waiting?: boolean }) {
  const navigating = useNavigation().state !== 'idle';
  const busy = navigating || waiting;
  return (
    <Box
      aria-hidden
      position="absolute"
      top="0"
      insetInline={busy ? '3%' : '22%'}
      height="2px"
      borderRadius="2px"
      backgroundImage="linear-gradient(90deg, transparent, var(--chakra-colors-lamp) 35%, var(--chakra-colors-lamp) 65%, transparent)"
      transition="inset-inline"
      transitionDuration={busy ? '900ms' : 'light'}
      transitionTimingFunction="settle"
    />
  );
}
