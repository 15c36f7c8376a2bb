import { Button, type ButtonProps, IconButton } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { ScanIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { Tooltip } from '../ui/Tooltip';
import { stackOf, titleOf } from './subject';

/** Returns the address in the viewer of what a card shows. */
export function viewerPath(image: Image): string {
  const stack = stackOf(image);
  return stack ? paths.studyViewer(stack.id) : paths.viewer(image.id);
}

/** The button beside a text about an image, which opens that one image in the viewer. */
export function OpenInViewer({ image, ...button }: { image: Pick<Image, 'id'> } & ButtonProps) {
  const { t } = useTranslation();
  return (
    <Button asChild variant="subtle" {...button}>
      <Link to={paths.viewer(image.id)}>
        <ScanIcon aria-hidden />
        {t('studies.viewer')}
      </Link>
    </Button>
  );
}

/** The button of a card that opens its image or study in the viewer. */
export function ViewerLink({ image }: { image: Image }) {
  const { t } = useTranslation();
  const caption = titleOf(image, t('common.untitled'));
  return (
    <Tooltip content={t('studies.viewer')}>
      <IconButton asChild size="sm" variant="outline" aria-label={t('studies.viewerThis', { caption })}>
        <Link to={viewerPath(image)}>
          <ScanIcon />
        </Link>
      </IconButton>
    </Tooltip>
  );
}
