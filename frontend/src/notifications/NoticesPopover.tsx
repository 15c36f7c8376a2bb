import '../lib/insertRules';
import { Box, Flex, Heading, Popover, Portal } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { NoticeList, ReadAll } from './NoticeList';

interface Props {
  open: boolean;
  /** The id of the button that opens the list: the list is placed beside it and returns the focus to it. */
  trigger: string;
  onClose: () => void;
  unread: number;
}

/** The list of notices on a desktop, below the bell. */
export function NoticesPopover({ open, trigger, onClose, unread }: Props) {
  const { t } = useTranslation();
  return (
    <Popover.Root
      open={open}
      onOpenChange={(change) => !change.open && onClose()}
      ids={{ trigger }}
      positioning={{ placement: 'bottom-end', gutter: 8 }}
      lazyMount
      unmountOnExit
    >
      <Portal>
        <Popover.Positioner>
          <Popover.Content
            aria-label={t('notifications.title')}
            w="420px"
            maxW="calc(100vw - 32px)"
            maxH="min(640px, calc(100dvh - 96px))"
            display="flex"
            flexDirection="column"
            bg="bg.panel"
            borderWidth="1px"
            borderColor="border"
            borderRadius="float"
            boxShadow="float"
            overflow="hidden"
            textStyle="none"
            fontSize="md"
          >
            <Flex align="center" justify="space-between" ps="5" pe="3" pt="3" pb="1" flex="none">
              <Heading as="h2" textStyle="section">
                {t('notifications.title')}
              </Heading>
              <ReadAll unread={unread} />
            </Flex>
            <Box overflowY="auto" minH="0">
              <NoticeList onOpen={onClose} />
            </Box>
          </Popover.Content>
        </Popover.Positioner>
      </Portal>
    </Popover.Root>
  );
}
