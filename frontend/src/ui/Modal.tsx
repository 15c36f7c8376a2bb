import '../lib/insertRules';
import { Dialog, IconButton, Portal, Text } from '@chakra-ui/react';
import { XIcon } from '@phosphor-icons/react';
import { type ComponentProps, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useBackCloses } from './useBackCloses';

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

/** True while a dialog takes the focus. Focus traps answer each other at once, so two open dialogs would never end. */
let taking = false;

interface Held {
  content: RefObject<HTMLDivElement | null>;
  initialFocus: Props['initialFocus'];
}

/** Returns the sections of the dialog around an element, the innermost first. */
function sectionsAround(element: Element, dialog: Element): Element[] {
  const section = element.closest('section');
  if (!section?.parentElement || !dialog.contains(section)) return [];
  return [section, ...sectionsAround(section.parentElement, dialog)];
}

const headings = 'h2, h3, h4, h5, h6';

/** The element that had the focus in a dialog, and the sections around it. They stay known when it is removed. */
interface Place {
  element: HTMLElement;
  sections: readonly Element[];
}

/** Focuses the element again, or the heading of its section if it is gone. Returns false when neither is there. */
function returnTo({ element, sections }: Place, dialog: Element): boolean {
  if (dialog.contains(element)) element.focus({ preventScroll: true });
  if (document.activeElement === element) return true;
  const section = sections.find((one) => dialog.contains(one));
  const heading = section?.querySelector<HTMLElement>(headings);
  if (!heading) return false;
  heading.tabIndex = -1;
  heading.focus();
  return true;
}

/** Scrolls the parts of the dialog around a field so far that it is seen. The dialog itself still moves in. */
function reveal(field: Element, dialog: Element) {
  const room = 16;
  for (let part = field.parentElement; part && dialog.contains(part); part = part.parentElement) {
    const below = field.getBoundingClientRect().bottom + room - part.getBoundingClientRect().bottom;
    if (below > 0) part.scrollTop += below;
  }
}

/**
 * Brings a lost focus back into the open dialog. It is lost when the focused element is removed with a part of the
 * content, and when a dialog that closed a moment before returns it to the page behind. A person who has just revoked
 * something far below goes on there, at the heading of that section.
 */
function HoldFocus({ content, initialFocus }: Held) {
  const initial = useRef(initialFocus);
  initial.current = initialFocus;
  useEffect(() => {
    const dialog = content.current;
    if (!dialog) return;
    let place: Place | undefined;
    const hold = () => {
      if (taking) return;
      const at = document.activeElement;
      if (at instanceof HTMLElement && dialog.contains(at)) {
        if (at !== place?.element) place = { element: at, sections: sectionsAround(at, dialog) };
        return;
      }
      const lost = !at || at === document.body || at.closest('[aria-hidden=true]');
      // A dialog below another one is hidden, and a closing one returns the focus.
      if (!lost || dialog.closest('[aria-hidden=true], [data-state=closed]')) return;
      taking = true;
      try {
        if (!place || !returnTo(place, dialog)) {
          (initial.current?.(dialog) ?? dialog).focus({ preventScroll: true });
        }
      } finally {
        taking = false;
      }
    };
    const changes = new MutationObserver(hold);
    const begin = () => {
      changes.observe(dialog, { childList: true, subtree: true });
      document.addEventListener('focusin', hold);
      hold();
      // The library gives the focus without scrolling. In a low window the field may lie further down.
      if (place) reveal(place.element, dialog);
    };
    // The library moves the focus in the next frame. This begins in the frame after it: a focus that came earlier would be
    // moved again, away from the field where somebody has begun to type.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(begin);
    });
    return () => {
      changes.disconnect();
      document.removeEventListener('focusin', hold);
      cancelAnimationFrame(frame);
    };
  }, [content]);
  return null;
}

/**
 * The frame of every dialog: a sheet from below on a phone, a centred panel elsewhere. Escape and Back close it, and the
 * focus returns to the opener. A click beside it closes only a dialog without a form, so that nothing typed is lost.
 */
export function Modal({ onClose, title, sub, initialFocus, closable = true, maxW, zIndex, children, ...root }: Props) {
  const content = useRef<HTMLDivElement>(null);
  const layer = zIndex && { zIndex };
  useBackCloses(root.open, onClose);
  return (
    <Dialog.Root
      onOpenChange={(change) => !change.open && onClose()}
      onInteractOutside={(event) => content.current?.querySelector('form') && event.preventDefault()}
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
                <Dialog.Title>{title}</Dialog.Title>
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
            <HoldFocus content={content} initialFocus={initialFocus} />
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}
