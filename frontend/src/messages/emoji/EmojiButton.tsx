import { IconButton, Popover, Portal } from '@chakra-ui/react';
import { SmileyIcon } from '@phosphor-icons/react';
import { lazy, type RefObject, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

const EmojiPanel = lazy(async () => ({ default: (await import('./EmojiPanel')).EmojiPanel }));

interface Props {
  field: RefObject<HTMLTextAreaElement | null>;
  onText: (text: string) => void;
}

/** Puts an emoji where the cursor of the message field is. Phones have emoji on their keyboards. */
export function EmojiButton({ field, onText }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const insert = (emoji: string) => {
    const { current } = field;
    if (!current) return;
    const { value, selectionStart, selectionEnd } = current;
    onText(value.slice(0, selectionStart) + emoji + value.slice(selectionEnd));
    setOpen(false);
    const cursor = selectionStart + emoji.length;
    // After the popover has given the focus back to its button, and the field has its new text.
    setTimeout(() => {
      current.focus();
      current.setSelectionRange(cursor, cursor);
    });
  };
  return (
    <Popover.Root
      open={open}
      onOpenChange={(change) => setOpen(change.open)}
      lazyMount
      unmountOnExit
      positioning={{ placement: 'top-end' }}
    >
      <Popover.Trigger asChild>
        <IconButton
          type="button"
          variant="ghost"
          title={t('messages.emoji.button')}
          aria-label={t('messages.emoji.button')}
          boxSize="46px"
          minW="46px"
          borderRadius="full"
          flex="none"
          hideBelow="md"
        >
          <SmileyIcon />
        </IconButton>
      </Popover.Trigger>
      <Portal>
        <Popover.Positioner>
          <Popover.Content w="344px" aria-label={t('messages.emoji.button')}>
            <Suspense fallback={null}>
              <EmojiPanel onSelect={insert} />
            </Suspense>
          </Popover.Content>
        </Popover.Positioner>
      </Portal>
    </Popover.Root>
  );
}
