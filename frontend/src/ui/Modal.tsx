import { Dialog, IconButton, Portal, Text } from '@chakra-ui/react';
import { XIcon } from '@phosphor-icons/react';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';

type Root = Pick<
  ComponentProps<typeof Dialog.Root>,
  'open' | 'role' | 'closeOnInteractOutside' | 'scrollBehavior' | 'onExitComplete' | 'finalFocusEl'
>;

interface Props extends Root {
  onClose: () => void;
  /** The title in the usual head. A dialog with its own head renders a `Dialog.Title` among its children. */
  title?: string;
  /** A sentence below the title. */
  sub?: string;
  /** Returns the element that gets the focus at opening; by default the first control. */
  initialFocus?: (content: HTMLElement | null) => HTMLElement | null;
  /** False when the person must choose one of the dialog's own buttons: no close button. */
  closable?: boolean;
  maxW?: ComponentProps<typeof Dialog.Content>['maxW'];
  /** The z-index of backdrop and dialog, for a dialog that must be above others. */
  zIndex?: ComponentProps<typeof Dialog.Positioner>['zIndex'];
  children: ReactNode;
}

function CloseButton() {
  const { t } = useTranslation();
  return (
    <Dialog.CloseTrigger asChild>
      <IconButton variant="ghost" aria-label={t('common.close')}>
        <XIcon />
      </IconButton>
    </Dialog.CloseTrigger>
  );
}

/**
 * The frame of every dialog: a sheet from below on a phone, a centred panel elsewhere. Escape closes it, and the focus
 * returns to the opener.
 */
export function Modal({ onClose, title, sub, initialFocus, closable = true, maxW, zIndex, children, ...root }: Props) {
  const content = useRef<HTMLDivElement>(null);
  const layer = zIndex && { zIndex };
  return (
    <Dialog.Root
      onOpenChange={(change) => !change.open && onClose()}
      {...(initialFocus && { initialFocusEl: () => initialFocus(content.current) })}
      lazyMount
      unmountOnExit
      {...root}
    >
      <Portal>
        <Dialog.Backdrop {...layer} />
        <Dialog.Positioner {...layer}>
          <Dialog.Content ref={content} {...(maxW && { maxW })}>
            {title !== undefined && (
              <Dialog.Header pe="14" {...(sub && { display: 'block' })}>
                <Dialog.Title dir="auto">{title}</Dialog.Title>
                {sub && (
                  <Text color="fg.muted" fontSize="sm" mt="1">
                    {sub}
                  </Text>
                )}
              </Dialog.Header>
            )}
            {closable && title !== undefined && <CloseButton />}
            {children}
            {closable && title === undefined && <CloseButton />}
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}
