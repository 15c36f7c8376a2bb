import { Box, Flex, VisuallyHidden } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n';
import { SidePanel } from '../ui/SidePanel';

/** The panel beside the picture. */
export function Side({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Flex
      as="aside"
      aria-label={t('viewer.panel')}
      dir={currentLanguage().dir}
      bg="viewer.panel"
      borderLeftWidth="1px"
      borderColor="viewer.border"
      p="5"
      overflowY="auto"
      minH="0"
      tabIndex={0}
      _focusVisible={{ boxShadow: 'inset 0 0 0 3px var(--chakra-colors-accent-focus-ring)', outline: 'none' }}
    >
      {children}
    </Flex>
  );
}

interface SheetProps {
  open: boolean;
  onClose: () => void;
  /** The lists of the marks, which screen readers and other programs read while the sheet is closed. */
  lists: ReactNode;
  children: ReactNode;
}

/** The panel on a phone: a sheet from below. */
export function Sheet({ open, onClose, lists, children }: SheetProps) {
  const { t } = useTranslation();
  return (
    <>
      <SidePanel open={open} onClose={onClose} placement="bottom" title={t('viewer.panel')} bg="viewer.panel">
        <Box px="5" pb="6" overflowY="auto">
          {children}
        </Box>
      </SidePanel>
      {!open && <VisuallyHidden>{lists}</VisuallyHidden>}
    </>
  );
}
