import { Box, Flex, Grid, Image } from '@chakra-ui/react';
import { WarningIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { useIsDesktop } from '../lib/useMedia';
import { Header } from './Header';
import { Message } from './Message';
import { views } from './Rail';
import type { Subject } from './subject';
import { useDark } from './useLook';

const none = new Set<never>();
const allViews = new Set(views);

interface Props {
  subject: Subject;
  id: string;
  preview: string | undefined;
  error: Error | null;
  onRetry: () => void;
  onBack?: (() => void) | undefined;
}

/** The viewer before the facts of the file are known: the server's preview, or the reason why it cannot be opened. */
export function Opening({ subject, id, preview, error, onRetry, onBack }: Props) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  useDark();
  return (
    <Grid as="main" h="100dvh" bg="viewer.bg" templateRows="auto minmax(0, 1fr)" overflow="hidden">
      <Header
        subject={{ ...subject, aiPath: undefined }}
        onBack={onBack}
        onKeys={() => {}}
        onAct={() => {}}
        on={none}
        without={allViews}
        neighbours={{}}
        desktop={desktop}
      />
      <Box
        data-viewport=""
        data-state={error ? 'failed' : 'loading'}
        data-image={id}
        data-frame={1}
        data-frames={0}
        position="relative"
        dir="ltr"
      >
        {preview && !error && (
          <Image
            src={preview}
            alt={t('viewer.opening')}
            position="absolute"
            inset="0"
            boxSize="full"
            objectFit="contain"
          />
        )}
        {error && (
          <Flex position="absolute" inset="0" align="center" justify="center">
            <Message
              Icon={WarningIcon}
              title={t('common.couldNotLoad')}
              text={errorText(error)}
              act={{ label: t('common.retry'), onClick: onRetry }}
            />
          </Flex>
        )}
      </Box>
    </Grid>
  );
}
