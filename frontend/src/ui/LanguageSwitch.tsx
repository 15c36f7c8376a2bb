import { Button } from '@chakra-ui/react';
import { TranslateIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { chooseLanguage, currentCode } from '../i18n';
import { languages } from '../i18n/languages';
import { toast } from '../lib/toaster';

/** Returns the next language with its name in that language, so that people who cannot read this page find theirs. */
export function useNextLanguage() {
  const { t } = useTranslation();
  const codes: string[] = Object.keys(languages);
  const code = codes[(codes.indexOf(currentCode()) + 1) % codes.length] ?? 'en';
  const { name } = languages[code] ?? languages.en;
  const turn = () => chooseLanguage(code).catch(() => toast.error(t('app.language.failed')));
  return { code, name, turn };
}

/** A button for the bars: one press changes the page to the language on its label. */
export function LanguageSwitch() {
  const { code, name, turn } = useNextLanguage();
  return (
    <Button variant="ghost" px={{ base: '2', sm: '3' }} gap={{ base: '1.5', sm: '2' }} onClick={turn}>
      <TranslateIcon aria-hidden />
      <span lang={code}>{name}</span>
    </Button>
  );
}
