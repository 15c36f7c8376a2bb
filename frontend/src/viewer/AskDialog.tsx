import { Button, Dialog, Flex, Text } from '@chakra-ui/react';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { Modal } from '../ui/Modal';
import { UserAvatar } from '../ui/UserAvatar';

interface Props {
  /** The chosen place; the dialog is closed without one. */
  view: PinnedView | undefined;
  people: readonly UserRef[];
  onChosen: (person: UserRef) => void;
  onClose: () => void;
  finalFocusEl: () => HTMLElement | null;
}

/** Asks to whom a pinned place is sent. */
export function AskDialog({ view, people, onChosen, onClose, finalFocusEl }: Props) {
  const { t } = useTranslation();
  return (
    <Modal open={view !== undefined} onClose={onClose} finalFocusEl={finalFocusEl} title={t('viewer.ask.whom')}>
      <Dialog.Body pb="6">
        {people.length === 0 && <Text color="fg.muted">{t('viewer.ask.nobody')}</Text>}
        <Flex as="ul" direction="column" gap="2" listStyleType="none">
          {people.map((person) => (
            <li key={person.id}>
              <Button
                variant="outline"
                w="full"
                h="auto"
                py="2"
                justifyContent="flex-start"
                gap="3"
                onClick={() => onChosen(person)}
              >
                <UserAvatar person={person} />
                <bdi>{fullName(person)}</bdi>
              </Button>
            </li>
          ))}
        </Flex>
      </Dialog.Body>
    </Modal>
  );
}
