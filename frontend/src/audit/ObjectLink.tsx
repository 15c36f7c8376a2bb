import { Box, Link as ChakraLink } from '@chakra-ui/react';
import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { Mono } from './Who';

const placeOf = { image: paths.image, study: paths.study, user: paths.userProfile } as const;

/** Names the record of an entry, with a link to it, above the kind of record. */
export function ObjectLink({ entry: { object, recordId, tablename } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  return (
    <Box minW={{ md: '76px', xl: '90px' }} whiteSpace="normal">
      {object && recordId && (
        <ChakraLink asChild display="block" fontWeight="medium" overflowWrap="anywhere">
          <Link to={placeOf[object.kind](recordId)}>
            <bdi>{object.name}</bdi>
          </Link>
        </ChakraLink>
      )}
      <Box as="span" color="fg.muted">
        <Mono>{tablename || t('audit.none')}</Mono>
      </Box>
    </Box>
  );
}
