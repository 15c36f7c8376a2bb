import { Button, Flex } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { SealCheckIcon, ShareNetworkIcon, SparkleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import type { ImageActions } from './access';
import type { Opening } from './dialogs';

interface Props extends Pick<Opening, 'onAsk'> {
  image: Image;
  can: ImageActions;
  /** The image that is analysed: in a study the chosen one. */
  analysedId: string;
  analyseLabel?: string;
}

/** The buttons of a large dialog that share an image or a study, and that open the analysis of an image. */
export function ShareAndAi({ image, can, onAsk, analysedId, analyseLabel }: Props) {
  const { t } = useTranslation();
  if (!can.share && !can.ai && !can.opinion) return null;
  return (
    <Flex gap="2.5">
      {can.share && (
        <Button variant="subtle" flex="1" onClick={() => onAsk('share', image)}>
          <ShareNetworkIcon />
          {t('images.card.share')}
        </Button>
      )}
      {can.ai && (
        <Button asChild variant="outline" flex="1">
          <Link to={paths.aiAnalysis(analysedId)} aria-label={analyseLabel}>
            <SparkleIcon />
            {t('images.card.ai')}
          </Link>
        </Button>
      )}
      {can.opinion && (
        <Button asChild variant="outline" flex="1">
          <Link to={paths.aiAnalysis(analysedId)}>
            <SealCheckIcon />
            {t('images.card.opinion')}
          </Link>
        </Button>
      )}
    </Flex>
  );
}
