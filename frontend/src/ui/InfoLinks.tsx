import { Flex, type FlexProps, Link } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router-dom';
import { paths } from '../lib/paths';

/** The links to the help and to the privacy page, for the foot of a page or a menu. */
export function InfoLinks({ onPick, ...rest }: FlexProps & { onPick?: () => void }) {
  const { t } = useTranslation();
  return (
    <Flex as="ul" listStyleType="none" gap="4" fontSize="sm" color="fg.muted" wrap="wrap" {...rest}>
      {(['help', 'privacy'] as const).map((page) => (
        <li key={page}>
          <Link asChild variant="underline" color="inherit" py="1" my="0" minW="24px">
            <RouterLink to={paths[page]} onClick={onPick}>
              {t(`app.${page}`)}
            </RouterLink>
          </Link>
        </li>
      ))}
    </Flex>
  );
}
