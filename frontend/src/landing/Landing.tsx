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
    <Box minH="100dvh" overflowX="clip">
      <Box
        backgroundImage={{
          _light:
            'radial-gradient(760px 560px at 71% 48%, #FFF7E6 0, rgb(255 240 208/.75) 34%, transparent 72%), linear-gradient(#CFDCE7, #DFE8EF 55%, var(--chakra-colors-bg))',
          _dark:
            'radial-gradient(760px 560px at 71% 48%, rgb(255 214 140/.10) 0, transparent 70%), linear-gradient(#0B1620, var(--chakra-colors-bg))',
        }}
      >
        <Header />
        <Hero />
      </Box>
      <Box as="main" id="content">
        <Numbers />
        <Steps />
        <Features />
        <CallToAction />
      </Box>
      <Footer />
    </Box>
  );
}
