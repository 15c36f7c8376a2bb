import { IconButton } from '@chakra-ui/react';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { DotsThreeVerticalIcon } from '@phosphor-icons/react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

const MessageActions = lazy(async () => ({ default: (await import('./MessageActions')).MessageActions }));

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
      <Suspense fallback={null}>
        {open && (
          <MessageActions
            message={message}
            own={own}
            name={name}
            anchor={() => button.current?.getBoundingClientRect() ?? null}
            onClose={() => {
              setOpen(false);
              button.current?.focus();
            }}
          />
        )}
      </Suspense>
    </>
  );
}
