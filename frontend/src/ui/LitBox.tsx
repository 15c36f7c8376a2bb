import { Box, Flex, Grid } from '@chakra-ui/react';
import type { ReactNode } from 'react';

/** A film on the light box, with a cut corner and a clamp. Only here is the edge of a film decorated. */
export function ClampedFilm({
  src,
  alt,
  height,
  clamped = false,
  children,
}: {
  src: string;
  alt: string;
  height: string;
  clamped?: boolean;
  children?: ReactNode;
}) {
  return (
    <Box position="relative">
      <Box
        position="relative"
        h={height}
        mt={clamped ? '-18px' : '0'}
        bg="film.bg"
        borderRadius="film"
        overflow="hidden"
        css={{ containerType: 'inline-size' }}
        clipPath="polygon(0 0, calc(100% - 22px) 0, 100% 22px, 100% 100%, 0 100%)"
      >
        <Box asChild boxSize="full" objectFit="cover" display="block">
          <img src={src} alt={alt} width={720} height={756} draggable={false} />
        </Box>
        {children}
      </Box>
      {clamped && (
        <Box
          aria-hidden
          position="absolute"
          top="-30px"
          insetInlineStart="calc(50% - 23px)"
          w="46px"
          h="20px"
          borderRadius="5px"
          backgroundImage="linear-gradient(#F4F8FB, #9FB0BF)"
          boxShadow="0 2px 4px rgb(20 40 60/.35)"
        />
      )}
    </Box>
  );
}

/** The light box: a dark frame, a rail and a bright surface, in both themes. */
export function LitBox({
  children,
  foot,
  columns = '1.18fr 1fr',
}: {
  children: ReactNode;
  foot?: ReactNode;
  columns?: string;
}) {
  return (
    <Box
      borderRadius="26px"
      p={{ base: '3', md: 'block' }}
      backgroundImage="linear-gradient(#12395A, #0A2439)"
      boxShadow={{
        _light: '0 0 130px 18px rgb(255 214 140/.62), 0 34px 70px -20px rgb(8 30 50/.5)',
        _dark: '0 0 120px 4px rgb(255 206 130/.20), 0 34px 70px -20px rgb(0 0 0/.8)',
      }}
    >
      <Box
        borderRadius="13px"
        backgroundImage="radial-gradient(80% 90% at 50% 30%, #fff 0, #FFFDF6 50%, #FCEFD2 100%)"
        boxShadow="inset 0 0 46px rgb(255 205 120/.5)"
        overflow="hidden"
      >
        <Box
          aria-hidden
          h="30px"
          backgroundImage="linear-gradient(#D5DEE6, #B9C6D1)"
          boxShadow="0 3px 8px rgb(30 50 70/.22)"
          position="relative"
        />
        <Grid
          templateColumns={columns}
          gap={{ base: '2.5', md: 'block' }}
          px={{ base: '3', md: '22px' }}
          pt="block"
          pb={{ base: '3', md: '24px' }}
        >
          {children}
        </Grid>
      </Box>
      {foot && (
        <Flex align="center" gap="3.5" pt="15px" px="2" color="#DCE9F4" fontSize="sm" wrap="wrap">
          {foot}
        </Flex>
      )}
    </Box>
  );
}
