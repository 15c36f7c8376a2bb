import { Button, Flex } from '@chakra-ui/react';
import { CopySimpleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { Note } from '../ui/Note';

interface Props {
  imageId: string | undefined;
  onAgain: () => void;
}

/** Says that the person has this file already, before anything is sent. */
export function KnownNote({ imageId, onAgain }: Props) {
  const { t } = useTranslation();
  return (
    <Note Icon={CopySimpleIcon} tone="warning" title={t('uploads.known.title')} role="alert">
      {t('uploads.known.text')}
      <Flex gap="2.5" mt="2.5" wrap="wrap">
        <Button asChild size="sm" variant="outline" bg="bg.surface">
          <Link to={paths.image(imageId ?? '')}>{t('uploads.known.open')}</Link>
        </Button>
        <Button size="sm" variant="outline" bg="bg.surface" onClick={onAgain}>
          {t('uploads.known.again')}
        </Button>
      </Flex>
    </Note>
  );
}
