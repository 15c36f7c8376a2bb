import { chakra, Dialog, Grid, Heading, Text } from '@chakra-ui/react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Modal } from '../ui/Modal';
import { acts, keysOfAct, keysOfTool, tools } from './keys';

function Rows({ rows }: { rows: readonly [name: string, keys: readonly string[]][] }) {
  return (
    <Grid as="dl" templateColumns="1fr auto" columnGap="4" rowGap="1.5" fontSize="sm">
      {rows.map(([name, keys]) => (
        <Fragment key={name}>
          <Text as="dt">{name}</Text>
          <Text as="dd" dir="ltr" textAlign="end" whiteSpace="nowrap">
            {keys.map((key) => (
              <chakra.kbd
                key={key}
                ms="1"
                px="1.5"
                fontFamily="mono"
                fontSize="xs"
                borderWidth="1px"
                borderRadius="sm"
                bg="bg.muted"
              >
                {key}
              </chakra.kbd>
            ))}
          </Text>
        </Fragment>
      ))}
    </Grid>
  );
}

/** The list of all keys of the viewer. */
export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={t('viewer.keysTitle')}
      sub={t('viewer.keysText')}
      scrollBehavior="inside"
      maxW={{ base: '100vw', md: '720px' }}
    >
      <Dialog.Body tabIndex={0} role="region" aria-label={t('viewer.keysTitle')}>
        <Grid templateColumns={{ base: '1fr', md: '1fr 1.3fr' }} gap="6">
          <section>
            <Heading as="h3" fontSize="sm" mb="2" color="fg.muted">
              {t('viewer.toolKeys')}
            </Heading>
            <Rows rows={tools.map((tool) => [t(`viewer.tool.${tool}`), keysOfTool(tool)])} />
          </section>
          <section>
            <Heading as="h3" fontSize="sm" mb="2" color="fg.muted">
              {t('viewer.actKeys')}
            </Heading>
            <Rows
              rows={[
                ...acts.map((act) => [t(`viewer.act.${act}`), keysOfAct(act)] as const),
                [t('viewer.act.presetKeys'), ['0', '1', '…', '9']] as const,
                [t('viewer.act.point'), ['Enter']] as const,
                [t('viewer.act.movePoint'), ['←', '↑', '→', '↓']] as const,
              ].map(([name, keys]) => [name, keys])}
            />
          </section>
        </Grid>
      </Dialog.Body>
    </Modal>
  );
}
