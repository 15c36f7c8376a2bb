import { Dialog } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { Modal } from './Modal';

interface Props {
  open?: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that a click outside does not close, also without a form: codes that are shown once would be lost. */
export const PlainDialog = ({ open = true, title, onClose, children }: Props) => (
  <Modal open={open} onClose={onClose} title={title} closeOnInteractOutside={false} scrollBehavior="inside">
    <Dialog.Body pb="6">{children}</Dialog.Body>
  </Modal>
);
