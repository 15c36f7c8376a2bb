import '../lib/insertRules';
import { Box, Drawer, Flex, type FlexProps, IconButton, Portal } from '@chakra-ui/react';
import { XIcon } from '@phosphor-icons/react';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useBackCloses } from './useBackCloses';

type Root = Pick<ComponentProps<typeof Drawer.Root>, 'open' | 'placement' | 'finalFocusEl'>;

interface Props extends Root, Omit<ComponentProps<typeof Drawer.Content>, 'title'> {
  onClose: () => void;
  /** The title, or other content in its place; then the panel needs an `aria-label`. */
  title: ReactNode;
  /** A line below the title. */
  sub?: ReactNode;
  /** One button beside the title. */
  act?: ReactNode;
  /** Style props that change the usual head. */
  head?: FlexProps;
  children: ReactNode;
}

const sheet = { borderStartStartRadius: 'sheet', borderStartEndRadius: 'sheet', maxH: '88dvh', minH: '50dvh' };

/** A drawer: a panel from the side, or a sheet from below. Escape and Back close it, and the focus returns to the opener. */
export function SidePanel({
  open,
  onClose,
  placement = 'end',
  finalFocusEl,
  title,
  sub,
  act,
  head,
  children,
  ...content
}: Props) {
  const { t } = useTranslation();
  useBackCloses(open, onClose);
  return (
    <Drawer.Root
      open={open}
      onOpenChange={(change) => !change.open && onClose()}
      placement={placement}
      {...(finalFocusEl && { finalFocusEl })}
      lazyMount
      unmountOnExit
    >
      <Portal>
        <Drawer.Backdrop />
        <Drawer.Positioner>
          <Drawer.Content bg="bg.panel" boxShadow="dialog" {...(placement === 'bottom' && sheet)} {...content}>
            <Flex align="flex-start" justify="space-between" gap="2" ps="5" pe="2" pt="4" pb="2" flex="none" {...head}>
              {typeof title === 'string' ? (
                <Box flex="1" minW="0">
                  <Drawer.Title textStyle="section">{title}</Drawer.Title>
                  {sub}
                </Box>
              ) : (
                title
              )}
              {act}
              <Drawer.CloseTrigger asChild position="static">
                <IconButton variant="ghost" aria-label={t('common.close')}>
                  <XIcon />
                </IconButton>
              </Drawer.CloseTrigger>
            </Flex>
            {children}
          </Drawer.Content>
        </Drawer.Positioner>
      </Portal>
    </Drawer.Root>
  );
}
