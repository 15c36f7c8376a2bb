import { Box, createToaster, IconButton, Link, Portal, Stack, Toast, Toaster as Toasts } from '@chakra-ui/react';
import { CheckCircleIcon, InfoIcon, WarningCircleIcon, XIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { holdPrivate } from './private';
import { present } from './toastState';

/**
 * On a phone the buttons are at the bottom (bar, sheets, submit), so toasts appear at the top and cover none of them.
 */
const phone = window.matchMedia?.('(max-width: 767px)').matches ?? false;
const toaster = createToaster({ placement: phone ? 'top' : 'bottom-start', max: 4, pauseOnPageIdle: true });

const marks = {
  success: { Icon: CheckCircleIcon, color: 'success.fg' },
  error: { Icon: WarningCircleIcon, color: 'danger.fg' },
  info: { Icon: InfoIcon, color: 'accent.fg' },
};

function View() {
  const { t } = useTranslation();
  return (
    <Portal>
      <Toasts toaster={toaster} insetInline={{ mdDown: '4' }}>
        {(item) => {
          const { Icon, color } = marks[item.type as keyof typeof marks] ?? marks.info;
          return (
            <Toast.Root width={{ md: '380px' }} role={item.type === 'error' ? 'alert' : 'status'}>
              <Box color={color} flex="none">
                <Icon size={22} weight="fill" aria-hidden />
              </Box>
              <Stack gap="0.5" flex="1" minW="0" pe="4">
                <Toast.Title whiteSpace="pre-line">{item.title}</Toast.Title>
                {item.description && <Toast.Description>{item.description}</Toast.Description>}
                {item.action && (
                  <Link asChild variant="underline" fontSize="sm" fontWeight="semibold" alignSelf="start">
                    <button type="button" onClick={item.action.onClick}>
                      {item.action.label}
                    </button>
                  </Link>
                )}
              </Stack>
              <Toast.CloseTrigger asChild>
                <IconButton variant="ghost" size="xs" aria-label={t('common.close')}>
                  <XIcon />
                </IconButton>
              </Toast.CloseTrigger>
            </Toast.Root>
          );
        }}
      </Toasts>
    </Portal>
  );
}

// Toasts may contain private data of the person who was signed in.
holdPrivate(() => toaster.remove());
present({ View, create: (toast) => toaster.create(toast), dismiss: (id) => toaster.dismiss(id) });
