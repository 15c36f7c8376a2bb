import { Button, Dialog, Flex } from '@chakra-ui/react';
import type { Icon } from '@phosphor-icons/react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from './Field';
import { IconTile } from './IconTile';
import { Modal } from './Modal';

interface Props {
  open: boolean;
  onClose: () => void;
  Icon: Icon;
  /** Names the object: Delete “Left hand, after fall”? */
  title: string;
  /** Says which people lose access to what, and that the action is final. */
  children: ReactNode;
  /** The label of the confirming button, a verb. */
  act: string;
  onConfirm: () => void;
  pending?: boolean;
  /** A word that the person must type first, for actions that cannot be undone. */
  word?: string;
  danger?: boolean;
  /** Fields between the sentence and the word (a reason). */
  fields?: ReactNode;
  /**
   * Returns the element that gets the focus after closing, for a dialog whose opener may be deleted with the object.
   */
  finalFocus?: () => HTMLElement | null;
}

/** Asks before a destructive action. The safe button has the focus; its label is “Keep it”. */
export function ConfirmDialog({
  open,
  onClose,
  Icon,
  title,
  children,
  act,
  onConfirm,
  pending = false,
  word,
  danger = true,
  fields,
  finalFocus,
}: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const safe = useRef<HTMLButtonElement>(null);
  const form = useId();
  const ready = !word || typed.trim().toLocaleLowerCase() === word.toLocaleLowerCase();
  const tone = danger ? 'danger' : 'accent';
  return (
    <Modal
      role="alertdialog"
      open={open}
      onClose={onClose}
      closable={false}
      initialFocus={() => safe.current}
      onExitComplete={() => setTyped('')}
      {...(finalFocus && { finalFocusEl: finalFocus })}
    >
      <Dialog.Header alignItems="flex-start" gap="4">
        <IconTile Icon={Icon} tone={tone} />
        <Dialog.Title pt="2.5">{title}</Dialog.Title>
      </Dialog.Header>
      <Dialog.Body>
        <Flex
          as="form"
          id={form}
          direction="column"
          gap="4"
          onSubmit={(event) => {
            event.preventDefault();
            if (ready) onConfirm();
          }}
        >
          <Dialog.Description>{children}</Dialog.Description>
          {fields}
          {word && (
            <TextField
              label={t('common.typeToConfirm', { word })}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              autoCapitalize="none"
            />
          )}
        </Flex>
      </Dialog.Body>
      <Dialog.Footer>
        <Button ref={safe} variant="outline" onClick={onClose}>
          {danger ? t('common.keepIt') : t('common.cancel')}
        </Button>
        <Button type="submit" form={form} colorPalette={tone} disabled={!ready} loading={pending} loadingText={act}>
          <Icon />
          {act}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
