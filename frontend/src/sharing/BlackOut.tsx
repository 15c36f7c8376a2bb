import { Button, Flex, Text } from '@chakra-ui/react';
import type { TextPlace } from '@lightbox/contract/images/drawing.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useReducer, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshLists } from '../images/cache';
import { errorText } from '../lib/errors';
import { useAttempt } from '../lib/useAttempt';
import { Brush } from './Brush';
import { copyImage } from './copying';
import { NoTextLeft } from './NoTextLeft';
import { drawn, nothing, type Size } from './rectangles';

interface Props {
  image: Image;
  size: Size;
  /** Places that look like text. */
  found: readonly TextPlace[];
  onMade: (copy: Image) => void;
  onCancel: () => void;
}

/** Draws black rectangles on a picture, and makes the copy that has them. The original stays as it is. */
export function BlackOut({ image, size, found, onMade, onCancel }: Props) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { keyOf } = useAttempt();
  const [drawing, act] = useReducer(drawn, nothing);
  const [noTextLeft, setNoTextLeft] = useState(false);
  const make = useMutation({
    mutationFn: (body: Parameters<typeof copyImage>[1]) => copyImage(image.id, body, keyOf(body)),
    meta: { silent: true },
    onSuccess: (copy) => {
      refreshLists(cache);
      onMade(copy);
    },
  });
  const { now } = drawing;
  return (
    <Flex direction="column" gap="3" data-black-out>
      <Text fontSize="sm" color="fg.muted">
        {t('sharing.blackOut.help')}
      </Text>
      <Brush imageId={image.id} frames={image.frames ?? 1} size={size} found={found} drawing={drawing} act={act} />
      <NoTextLeft
        label={t('sharing.blackOut.noTextLeft')}
        checked={noTextLeft}
        onChange={setNoTextLeft}
        error={make.error ? errorText(make.error, t('sharing.blackOut.failed')) : undefined}
      />
      <Flex gap="2" justify="flex-end" wrap="wrap">
        <Button size="sm" variant="outline" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button
          size="sm"
          disabled={now.length === 0}
          loading={make.isPending}
          loadingText={t('sharing.blackOut.making')}
          onClick={() => make.mutate({ rectangles: [...now], caption: t('sharing.blackOut.caption'), noTextLeft })}
        >
          {t('sharing.blackOut.make')}
        </Button>
      </Flex>
    </Flex>
  );
}
