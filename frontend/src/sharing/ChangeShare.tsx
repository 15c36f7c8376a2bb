import { Box, Button, Flex } from '@chakra-ui/react';
import { type ShareAccess, shareCalls } from '@lightbox/contract/sharing/calls.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshLists } from '../images/cache';
import { fullName } from '../lib/format';
import { send } from '../lib/http';
import { usePublicSettings } from '../lib/publicSettings';
import { toast } from '../lib/toaster';
import { DownloadSwitch } from './DownloadSwitch';
import { Expiry } from './Expiry';
import { patchShares, refreshShares } from './sharing';

type Change = { expiresInHours: number } | { expiresAt: null } | { download: boolean };

interface Props {
  share: ShareAccess;
  /** True when the recipient is the image’s patient, whose share may last without an end. */
  patients: boolean;
  onDone: () => void;
}

/** Changes the end of a share, and allows or forbids the download. The code stays the same. */
export function ChangeShare({ share, patients, onDone }: Props) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const usual = usePublicSettings()['sharing.expiryHours'];
  const [hours, setHours] = useState(usual);
  const name = fullName(share.recipient);
  const change = useMutation({
    mutationFn: (wanted: Change) => send(shareCalls.changeShare, { params: { id: share.id }, body: wanted }),
    onSuccess: ({ data: { expiresAt, download } }, wanted) => {
      patchShares(cache, (shares) =>
        shares.map((one) => (one.id === share.id ? { ...one, expiresAt, download } : one)),
      );
      toast.success(t('sharing.change.done', { name }));
      if (!('download' in wanted)) onDone();
    },
    onSettled: () => {
      refreshShares(cache);
      refreshLists(cache);
    },
    meta: { fallback: t('sharing.change.failed') },
  });
  return (
    <Flex
      direction="column"
      gap="3"
      flexBasis="full"
      p="3"
      borderRadius="box"
      bg="bg.subtle"
      role="group"
      aria-label={t('sharing.change.of', { name })}
    >
      <Expiry usual={usual} hours={hours} onChange={setHours} />
      <Box>
        <DownloadSwitch
          allowed={share.download}
          ofCopy={share.deidentified === true}
          disabled={change.isPending}
          onChange={(download) => change.mutate({ download })}
        />
      </Box>
      <Flex gap="2" justify="flex-end" wrap="wrap">
        <Button size="sm" variant="outline" onClick={onDone}>
          {t('common.cancel')}
        </Button>
        {patients && share.expiresAt !== null && (
          <Button size="sm" variant="outline" onClick={() => change.mutate({ expiresAt: null })}>
            {t('sharing.access.noEnd')}
          </Button>
        )}
        <Button size="sm" loading={change.isPending} onClick={() => change.mutate({ expiresInHours: hours })}>
          {t('sharing.change.act')}
        </Button>
      </Flex>
    </Flex>
  );
}
