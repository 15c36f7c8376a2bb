import { Box, Skeleton, type SkeletonProps } from '@chakra-ui/react';

/**
 * A placeholder while data loads. It appears after 200 ms, so that a quick answer causes no flicker, and does not
 * pulse.
 */
export const Waiting = (props: SkeletonProps) => (
  <Skeleton variant="none" layerStyle="waiting" aria-hidden {...props} />
);

/** A placeholder for an image card. */
export const ImageCardSkeleton = () => (
  <Box layerStyle="card" p="9px" pb="3.5">
    <Waiting aspectRatio="4 / 3" borderRadius="6px" />
    <Waiting h="14px" w="72%" mt="3.5" mx="1.5" />
    <Waiting h="11px" w="46%" mt="2.5" mx="1.5" />
    <Waiting h="34px" w="40%" mt="5" mx="1.5" />
  </Box>
);

/** A placeholder for a person in a list. */
export const PersonSkeleton = () => (
  <Box display="flex" alignItems="center" gap="3" py="2.5">
    <Waiting boxSize="40px" borderRadius="full" flex="none" />
    <Box flex="1">
      <Waiting h="14px" w="40%" />
      <Waiting h="11px" w="56%" mt="2" />
    </Box>
  </Box>
);
