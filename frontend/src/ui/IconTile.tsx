import { Box } from '@chakra-ui/react';
import type { Icon } from '@phosphor-icons/react';

interface Props {
  Icon: Icon;
  tone: 'accent' | 'danger' | 'success' | 'warning';
  weight?: 'fill' | 'regular';
}

/** The icon at the top of a dialog, on a tile in the colour of its tone. */
export function IconTile({ Icon, tone, weight = 'regular' }: Props) {
  return (
    <Box
      boxSize="48px"
      flex="none"
      display="grid"
      placeItems="center"
      borderRadius="card"
      bg={`${tone}.subtle`}
      color={`${tone}.onSubtle`}
    >
      <Icon size={24} weight={weight} aria-hidden />
    </Box>
  );
}
