import { Box, chakra, Flex, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { inMegabytes } from '@lightbox/contract/texts.js';
import { FileXIcon, WarningCircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';
import { Note } from '../ui/Note';
import type { OmitReason, Omitted } from './plan';
import type { RefusedZip } from './readFiles';

const reasons: readonly OmitReason[] = ['size', 'unreadable', 'archive', 'empty', 'notMedical', 'directory'];
/** More names would fill the page, as with the viewer program of a disc. */
const namesShown = 8;

interface Props {
  omitted: Omitted[];
  refused: RefusedZip[];
  maxBytes: number;
  /** True to show the reasons at once, because no file is left. */
  open: boolean;
}

/** The files that are not uploaded, by reason, and the zips that were not opened. */
export function LeftOut({ omitted, refused, maxBytes, open }: Props) {
  const { t } = useTranslation();
  const words = (reason: OmitReason) =>
    reason === 'size' ? t('images.form.fileSize', { mb: inMegabytes(maxBytes) }) : t(`uploads.omitted.${reason}`);
  const refusal = ({ name, fault }: RefusedZip) =>
    fault === 'tooMany'
      ? t('uploads.zip.tooMany', { name, most: limits.zipEntries })
      : fault === 'tooLarge'
        ? t('uploads.zip.tooLarge', { name, most: formatBytes(limits.zipBytes) })
        : t(`uploads.zip.${fault}`, { name });
  return (
    <>
      {refused.map((one) => (
        <Note key={one.name} Icon={WarningCircleIcon} tone="danger" title={refusal(one)} role="alert" />
      ))}
      {omitted.length > 0 && (
        <chakra.details open={open} layerStyle="card" px={{ base: '4', lg: '5' }} py="3">
          <chakra.summary cursor="pointer" fontWeight="semibold" minH="6">
            {t('uploads.omitted.title', { count: omitted.length })}
          </chakra.summary>
          <Flex direction="column" gap="4" mt="3">
            {reasons.map((reason) => {
              const files = omitted.filter((one) => one.reason === reason);
              if (!files.length) return null;
              return (
                <Flex key={reason} gap="3">
                  <Box color="fg.muted" flex="none">
                    <FileXIcon size={20} aria-hidden />
                  </Box>
                  <Box minW="0">
                    <Text fontSize="sm" fontWeight="medium">
                      {words(reason)}
                    </Text>
                    <Text fontSize="xs" color="fg.muted" overflowWrap="anywhere">
                      {files.slice(0, namesShown).map(({ source }, at) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: files of several folders may have one name.
                        <bdi key={at}>
                          {at > 0 && ', '}
                          {source.name}
                        </bdi>
                      ))}
                      {files.length > namesShown &&
                        ` ${t('uploads.omitted.more', { count: files.length - namesShown })}`}
                    </Text>
                  </Box>
                </Flex>
              );
            })}
          </Flex>
        </chakra.details>
      )}
    </>
  );
}
