import '@fontsource-variable/atkinson-hyperlegible-next/wght.css';
import '@fontsource-variable/atkinson-hyperlegible-mono/wght.css';
import { ChakraProvider, LocaleProvider } from '@chakra-ui/react';
import { ThemeProvider } from 'next-themes';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n';
import { system } from './system';

/**
 * next-themes writes an inline script for server-rendered pages. Our policy is `script-src 'self'`, so its type makes
 * it inert data. Instead `public/theme.js`, loaded first in the head, sets the class before the first paint.
 */
export function Theme({ children }: { children: ReactNode }) {
  useTranslation();
  return (
    <ChakraProvider value={system}>
      <ThemeProvider
        attribute="class"
        defaultTheme="system"
        storageKey="theme"
        disableTransitionOnChange
        scriptProps={{ type: 'application/json' }}
      >
        <LocaleProvider locale={currentLanguage().locale}>{children}</LocaleProvider>
      </ThemeProvider>
    </ChakraProvider>
  );
}
