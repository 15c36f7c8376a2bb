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
  /** The plain head. A dialog with another head draws a `Dialog.Title` among its children. */
  title?: string;
  /** A sentence below the title. */
  sub?: string;
  /** Finds the first element to have the focus; without it that is the first control. */
  initialFocus?: (content: HTMLElement | null) => HTMLElement | null;
  /** False where one of the dialog's own buttons must be chosen. */
  closable?: boolean;
  maxW?: ComponentProps<typeof Dialog.Content>['maxW'];
  /** Of the backdrop and of the dialog, where it must be above others. */
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
 * The frame of every dialog: a sheet on a phone, a panel in the middle elsewhere. Escape closes it, and the focus goes
 * back to its opener.
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
