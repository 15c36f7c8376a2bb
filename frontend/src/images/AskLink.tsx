import { Button, type ButtonProps } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { shareMark } from '@lightbox/contract/sharing/mark.js';
import { ChatCircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { fullName } from '../lib/format';
import { paths } from '../lib/paths';

interface Props extends ButtonProps {
  image: Pick<Image, 'sharedBy' | 'shareId'>;
  /** The thing that the recipient needs: a new code, or a new share. */
  need: 'code' | 'access';
}

/** Opens the chat with the person who shared an image, with a first sentence that names the share by its mark. */
export function AskLink({ image: { sharedBy, shareId }, need, ...button }: Props) {
  const { t } = useTranslation();
  if (!sharedBy || !shareId) return null;
  const draft = t(`images.ask.${need}`, { mark: shareMark(shareId) });
  return (
    <Button asChild variant="outline" {...button}>
      <Link to={paths.chat(sharedBy.id)} state={{ draft }}>
        <ChatCircleIcon aria-hidden />
        {t('images.ask.act', { name: sharedBy.firstname || fullName(sharedBy) })}
      </Link>
    </Button>
  );
}
