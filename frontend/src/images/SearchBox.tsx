import { IconButton, Input, InputGroup } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { MagnifyingGlassIcon, XIcon } from '@phosphor-icons/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Search } from './useSearch';

const fields = 'input, textarea, select, [contenteditable], [role=dialog]';

/** The search box of the gallery. The key `/` moves the focus to it, and Escape clears it. */
export function SearchBox({ search: { text, setText } }: { search: Search }) {
  const { t } = useTranslation();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const busy = event.target instanceof Element && event.target.closest(fields);
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || busy) return;
      if (document.querySelector('[role=dialog]')) return;
      event.preventDefault();
      box.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <InputGroup
      flex="1 1 220px"
      maxW={{ lg: '380px' }}
      startElement={<MagnifyingGlassIcon size={18} aria-hidden />}
      startElementProps={{ color: 'fg.muted' }}
      endElement={
        text && (
          <IconButton
            variant="ghost"
            size="sm"
            aria-label={t('images.search.clearText')}
            onClick={() => {
              setText('');
              box.current?.focus();
            }}
          >
            <XIcon />
          </IconButton>
        )
      }
      endElementProps={{ px: '1' }}
    >
      <Input
        ref={box}
        // A search field would have a second cross of the browser's own.
        type="text"
        role="searchbox"
        enterKeyHint="search"
        autoComplete="off"
        dir="auto"
        h="control"
        bg="bg.surface"
        maxLength={limits.searchLength}
        aria-label={t('images.search.label')}
        aria-keyshortcuts="/"
        placeholder={t('images.search.placeholder')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('');
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
    </InputGroup>
  );
}
