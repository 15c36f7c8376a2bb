import { Box } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { useTitle } from '../ui/Page';
import { Features } from './Features';
import { CallToAction, Footer } from './Footer';
import { Header } from './Header';
import { Hero, Numbers } from './Hero';
import { Steps } from './Steps';

export function Landing() {
  const { t } = useTranslation();
  useTitle(t('landing.title'));
  return (
    <Box minH="100dvh" overflowX="clip" position="relative" isolation="isolate">
      <Box
        aria-hidden
        position="absolute"
        insetX="0"
        top="0"
        h={{ base: '1000px', lg: '780px' }}
        zIndex="-1"
        backgroundImage={{
          _light:
            'radial-gradient(760px 560px at 71% 52%, #FFF7E6 0, rgb(255 240 208/.75) 34%, transparent 72%), linear-gradient(#CFDCE7, #DFE8EF 55%, var(--chakra-colors-bg))',
          _dark:
            'radial-gradient(760px 560px at 71% 52%, rgb(255 214 140/.10) 0, transparent 70%), linear-gradient(#0B1620, var(--chakra-colors-bg))',
        }}
      />
      <Header />
      <main>
        <Hero />
        <Numbers />
        <Steps />
        <Features />
        <CallToAction />
      </main>
      <Footer />
    </Box>
  );
}
