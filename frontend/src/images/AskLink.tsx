import { Button, type ButtonProps } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { shareMark } from '@lightbox/contract/sharing/mark.js';
import type { PinnedView } from '@lightbox/contract/together/schemas.js';
import { ChatCircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { fullName } from '../lib/format';
import { paths } from '../lib/paths';

/** The first sentence of a message, and images with it: the state of a link to a chat. No address contains them. */
export interface Offer {
  draft: string;
  images?: string[];
  /** A place in an image, which the message will pin. */
  view?: PinnedView;
}

interface Props extends ButtonProps {
  image: Pick<Image, 'id' | 'sharedBy' | 'shareId' | 'isVerified'>;
  /** The thing that the recipient needs: a new code, a new share, or an answer about an image that they can see. */
  need: 'code' | 'access' | 'answer';
}

/**
 * Opens the chat with the person who shared an image, with a first sentence that names the share by its mark. An image
 * that the viewer can open is attached: the person who shared it can open it too.
 */
export function AskLink({ image, need, ...button }: Props) {
  const { t } = useTranslation();
  const { id, sharedBy, shareId, isVerified } = image;
  if (!sharedBy || !shareId) return null;
  const draft = t(`images.ask.${need}`, { mark: shareMark(shareId) });
  const offer: Offer = { draft, ...(isVerified && need === 'answer' ? { images: [id] } : {}) };
  return (
    <Button asChild variant="outline" {...button}>
      <Link to={paths.chat(sharedBy.id)} state={offer}>
        <ChatCircleIcon aria-hidden />
        {t('images.ask.act', { name: sharedBy.firstname || fullName(sharedBy) })}
      </Link>
    </Button>
  );
}
