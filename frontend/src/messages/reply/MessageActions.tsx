import { Menu, Portal } from '@chakra-ui/react';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { ArrowBendUpLeftIcon, CopyIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../lib/copy';
import { toast } from '../../lib/toaster';
import { answer } from './answer';

interface Props {
  message: Message;
  own: boolean;
  name: string;
  /** Returns the place of the button that opened the menu. */
  anchor: () => DOMRect | null;
  onClose: () => void;
}

/** The open menu of a message: reply and copy. */
export function MessageActions({ message, own, name, anchor, onClose }: Props) {
  const { t } = useTranslation();
  const { content, senderId, recipientId } = message;
  return (
    <Menu.Root
      open
      defaultHighlightedValue="reply"
      positioning={{ placement: own ? 'bottom-end' : 'bottom-start', getAnchorRect: anchor }}
      onOpenChange={({ open }) => !open && onClose()}
      onSelect={({ value }) => {
        // After the menu has given the focus back to its button.
        if (value === 'reply') setTimeout(() => answer(own ? recipientId : senderId, message));
        else void copyText(content).then((copied) => copied && toast.success(t('app.copied')));
      }}
    >
      <Portal>
        <Menu.Positioner>
          <Menu.Content aria-label={own ? t('messages.youSaid') : t('messages.theySaid', { name })}>
            <Menu.Item value="reply">
              <ArrowBendUpLeftIcon size={20} aria-hidden mirrored={document.dir === 'rtl'} />
              <Menu.ItemText>{t('messages.reply.act')}</Menu.ItemText>
            </Menu.Item>
            {content !== '' && (
              <Menu.Item value="copy">
                <CopyIcon size={20} aria-hidden />
                <Menu.ItemText>{t('messages.reply.copy')}</Menu.ItemText>
              </Menu.Item>
            )}
          </Menu.Content>
        </Menu.Positioner>
      </Portal>
    </Menu.Root>
  );
}
