import { Box } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { SidePanel } from '../ui/SidePanel';
import { NoticeList, ReadAll } from './NoticeList';

interface Props {
  open: boolean;
  onClose: () => void;
  unread: number;
}

/** The list of notices on a phone: a sheet from below. */
export function NoticesPanel({ open, onClose, unread }: Props) {
  const { t } = useTranslation();
  return (
    <SidePanel
      open={open}
      onClose={onClose}
      placement="bottom"
      title={t('notifications.title')}
      act={<ReadAll unread={unread} />}
      head={{ align: 'center', gap: '1', pt: '3', pb: '1' }}
      textStyle="none"
      fontSize="md"
    >
      <Box overflowY="auto" minH="0" pb="env(safe-area-inset-bottom)">
        <NoticeList onOpen={onClose} />
      </Box>
    </SidePanel>
  );
}
