import { IconButton, Menu, Portal } from '@chakra-ui/react';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { ArrowBendUpLeftIcon, CopyIcon, DotsThreeVerticalIcon } from '@phosphor-icons/react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../lib/copy';
import { toast } from '../../lib/toaster';
import { answer } from './answer';

interface Props {
  message: Message;
  own: boolean;
  name: string;
  /** True for the one button of the log that the Tab key reaches; Up and Down reach the others. */
  tabbable: boolean;
}

/** The menu of a message, beside its bubble. A chat has many messages, so a menu is made when it is opened. */
export function MessageMenu({ message, own, name, tabbable }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { content, senderId, recipientId } = message;
  return (
    <>
      <IconButton
        ref={button}
        type="button"
        variant="ghost"
        size="sm"
        boxSize="9"
        minW="9"
        borderRadius="full"
        color="fg.muted"
        position="absolute"
        top="0"
        {...(own ? { insetInlineEnd: '100%', me: '1' } : { insetInlineStart: '100%', ms: '1' })}
        opacity={{ base: '.7', lg: open ? '1' : '0' }}
        _groupHover={{ opacity: '1' }}
        _focusVisible={{ opacity: '1' }}
        aria-label={t('messages.reply.menu')}
        aria-haspopup="menu"
        aria-expanded={open}
        tabIndex={tabbable ? 0 : -1}
        data-message-menu
        onClick={() => setOpen(true)}
      >
        <DotsThreeVerticalIcon />
      </IconButton>
      {open && (
        <Menu.Root
          open
          defaultHighlightedValue="reply"
          positioning={{
            placement: own ? 'bottom-end' : 'bottom-start',
            getAnchorRect: () => button.current?.getBoundingClientRect() ?? null,
          }}
          onOpenChange={({ open: stays }) => {
            if (stays) return;
            setOpen(false);
            button.current?.focus();
          }}
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
      )}
    </>
  );
}
