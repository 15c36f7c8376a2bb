import { Popover, Portal } from '@chakra-ui/react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

const EmojiPanel = lazy(async () => ({ default: (await import('./EmojiPanel')).EmojiPanel }));

interface Props {
  open: boolean;
  /** The id of the button that opens it: it is placed beside the button and returns the focus to it. */
  trigger: string;
  onClose: () => void;
  onSelect: (emoji: string) => void;
}

/** The emoji to choose from. They are loaded when it opens. */
export function EmojiPopover({ open, trigger, onClose, onSelect }: Props) {
  const { t } = useTranslation();
  return (
    <Popover.Root
      open={open}
      onOpenChange={(change) => !change.open && onClose()}
      ids={{ trigger }}
      lazyMount
      unmountOnExit
      positioning={{ placement: 'top-end' }}
    >
      <Portal>
        <Popover.Positioner>
          <Popover.Content w="344px" aria-label={t('messages.emoji.button')}>
            <Suspense fallback={null}>
              <EmojiPanel onSelect={onSelect} />
            </Suspense>
          </Popover.Content>
        </Popover.Positioner>
      </Portal>
    </Popover.Root>
  );
}
