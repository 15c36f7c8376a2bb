import { chakra } from '@chakra-ui/react';

/** A short neutral fact beside others. */
export const Chip = chakra('span', {
  base: {
    display: 'inline-flex',
    alignItems: 'center',
    minH: '24px',
    maxW: 'full',
    px: '9px',
    borderRadius: 'full',
    borderWidth: '1px',
    borderColor: 'border',
    fontSize: 'xs',
    fontWeight: 'medium',
    color: 'fg.muted',
    whiteSpace: { base: 'normal', md: 'nowrap' },
  },
});
