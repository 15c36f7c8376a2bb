import { IconButton } from '@chakra-ui/react';
import { SmileyIcon } from '@phosphor-icons/react';
import { type RefObject, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onOpening } from '../../ui/onOpening';

const EmojiPopover = onOpening(async () => (await import('./EmojiPopover')).EmojiPopover);

interface Props {
  field: RefObject<HTMLTextAreaElement | null>;
  onText: (text: string) => void;
}

/** Puts an emoji where the cursor of the message field is. Phones have emoji on their keyboards. */
export function EmojiButton({ field, onText }: Props) {
  const { t } = useTranslation();
  const trigger = useId();
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
    <>
      <IconButton
        id={trigger}
        type="button"
        variant="ghost"
        title={t('messages.emoji.button')}
        aria-label={t('messages.emoji.button')}
        aria-haspopup="dialog"
        aria-expanded={open}
        boxSize="46px"
        minW="46px"
        borderRadius="full"
        flex="none"
        hideBelow="md"
        onClick={() => setOpen(!open)}
      >
        <SmileyIcon />
      </IconButton>
      <EmojiPopover open={open} trigger={trigger} onClose={() => setOpen(false)} onSelect={insert} />
    </>
  );
}
