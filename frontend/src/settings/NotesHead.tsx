import { Button } from '@chakra-ui/react';
import { CaretDownIcon, CaretUpIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { GroupHead } from './GroupHead';

interface Props {
  wide: boolean;
  count: number;
  open: boolean;
  onOpen: (open: boolean) => void;
}

/** The head of the clinic's own notes, which folds them away. */
export function NotesHead({ wide, count, open, onOpen }: Props) {
  const { t } = useTranslation();
  const Caret = open ? CaretUpIcon : CaretDownIcon;
  return (
    <GroupHead wide={wide} title={t('settings.notes')} text={t('settings.note')}>
      {count > 0 && (
        <Button variant="ghost" size="sm" aria-expanded={open} onClick={() => onOpen(!open)}>
          <Caret aria-hidden />
          {t(open ? 'settings.notesHide' : 'settings.notesShow', { count })}
        </Button>
      )}
    </GroupHead>
  );
}
