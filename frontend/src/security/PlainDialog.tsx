import { Dialog } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { Modal } from '../ui/Modal';

interface Props {
  open?: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Closed by its own buttons alone: a click beside it must not lose what was typed, or is shown once. */
export const PlainDialog = ({ open = true, title, onClose, children }: Props) => (
  <Modal open={open} onClose={onClose} title={title} closeOnInteractOutside={false} scrollBehavior="inside">
    <Dialog.Body pb="6">{children}</Dialog.Body>
  </Modal>
);
