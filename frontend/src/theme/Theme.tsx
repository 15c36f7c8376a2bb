import '@fontsource-variable/atkinson-hyperlegible-next/wght.css';
import '@fontsource-variable/atkinson-hyperlegible-mono/wght.css';
import { ChakraProvider, LocaleProvider } from '@chakra-ui/react';
import { ThemeProvider } from 'next-themes';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n';
import { insertCheaply } from './insertRules';
import { system } from './system';

insertCheaply();
// Dialogs set this at the root when they open. Where it is what they set, as on every phone, the browser has nothing to do;
// otherwise it computes the style of every element again.
document.documentElement.style.setProperty('--scrollbar-width', '0px');

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
