import { Box, Skeleton, type SkeletonProps } from '@chakra-ui/react';

/** A shape of what is coming. It appears after 200 ms, so that a quick answer brings no flicker, and it keeps still. */
export const Waiting = (props: SkeletonProps) => (
  <Skeleton variant="none" layerStyle="waiting" aria-hidden {...props} />
);

/** An image card on its way. */
export const ImageCardSkeleton = () => (
  <Box layerStyle="card" p="9px" pb="3.5">
    <Waiting aspectRatio="4 / 3" borderRadius="6px" />
    <Waiting h="14px" w="72%" mt="3.5" mx="1.5" />
    <Waiting h="11px" w="46%" mt="2.5" mx="1.5" />
    <Waiting h="34px" w="40%" mt="5" mx="1.5" />
  </Box>
);

/** A person in a list on their way. */
export const PersonSkeleton = () => (
  <Box display="flex" alignItems="center" gap="3" py="2.5">
    <Waiting boxSize="40px" borderRadius="full" flex="none" />
    <Box flex="1">
      <Waiting h="14px" w="40%" />
      <Waiting h="11px" w="56%" mt="2" />
    </Box>
  </Box>
);
