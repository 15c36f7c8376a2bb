import { Button, chakra, Flex, Input } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../i18n';

interface Props {
  text: string;
  onDone: (text: string) => void;
  onClose: () => void;
}

/** Asks for the words at an arrow, below the picture. Escape leaves the arrow as it is. */
export function ArrowText({ text, onDone, onClose }: Props) {
  const { t } = useTranslation();
  const [words, setWords] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const done = (event: FormEvent) => {
    event.preventDefault();
    onDone(words.trim());
  };
  return (
    <Flex
      asChild
      position="absolute"
      zIndex="3"
      bottom="60px"
      left="50%"
      transform="translateX(-50%)"
      w="max-content"
      maxW="calc(100% - 24px)"
      gap="2"
      p="2"
      borderRadius="box"
      borderWidth="1px"
      borderColor="viewer.border"
      bg="viewer.panel"
      dir={currentLanguage().dir}
    >
      <chakra.form
        onSubmit={done}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onClose();
        }}
      >
        <Input
          ref={field}
          size="sm"
          w="min(320px, 60vw)"
          dir="auto"
          color="viewer.text"
          borderColor="viewer.control"
          aria-label={t('viewer.marks.text')}
          placeholder={t('viewer.marks.text')}
          maxLength={limits.markText}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <Button type="submit" size="sm">
          {t('viewer.marks.done')}
        </Button>
      </chakra.form>
    </Flex>
  );
}
