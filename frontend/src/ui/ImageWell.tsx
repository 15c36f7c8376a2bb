import { Box, Flex, Text } from '@chakra-ui/react';
import { contentTypes } from '@lightbox/contract/images/names.js';
import {
  FilePdfIcon,
  FileXIcon,
  ImageIcon,
  LockKeyIcon,
  type Icon as PhosphorIcon,
  ProhibitIcon,
} from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatFilmDate } from '../lib/format';
import { Badge } from './Badge';
import { Waiting } from './Skeletons';

/** The fields of an image that its picture needs. */
export interface Pictured {
  caption?: string | undefined;
  contentType: string;
  image_url: string | null;
  isVerified: boolean;
  width?: number | undefined;
  height?: number | undefined;
  /** Missing until a worker has drawn the file. */
  frames?: number | undefined;
  dicom?: { modality?: string | undefined; view?: string | undefined; studyDate?: string | undefined } | undefined;
}

const ratio = { aspectRatio: '4 / 3', borderRadius: '6px', overflow: 'hidden', position: 'relative' } as const;

type Corner = 'tl' | 'tr' | 'bl' | 'br';
const corners: Record<Corner, object> = {
  tl: { top: '10px', insetStart: '11px' },
  tr: { top: '10px', insetEnd: '11px', textAlign: 'end' },
  bl: { bottom: '11px', insetStart: '11px' },
  br: { bottom: '11px', insetEnd: '11px', textAlign: 'end' },
};

/** A text in a corner of the film, as on a real film: monospaced, from left to right in every language. */
export function FilmMark({ at, children }: { at: Corner; children: ReactNode }) {
  return (
    <Box
      position="absolute"
      {...corners[at]}
      dir="ltr"
      fontFamily="mono"
      fontSize="12px"
      lineHeight="1.35"
      fontWeight="medium"
      color="film.text"
      textShadow="0 0 4px #000, 0 0 2px #000"
      whiteSpace="nowrap"
      // A narrow film has no room for two marks on one line: those at the end give way.
      {...(at.endsWith('r') && { css: { '@container (max-width: 219px)': { display: 'none' } } })}
    >
      {children}
    </Box>
  );
}

/** Draws an image on black film, in both themes. The picture is never tinted, rounded or mirrored. */
export function Film({
  src,
  alt,
  lightUp = false,
  children,
}: {
  src: string;
  alt: string;
  lightUp?: boolean;
  children?: ReactNode;
}) {
  return (
    <Box {...ratio} bg="film.bg" isolation="isolate" css={{ containerType: 'inline-size' }}>
      <Box
        asChild
        position="absolute"
        inset="0"
        boxSize="full"
        objectFit="contain"
        {...(lightUp && { animationName: 'lightUp', animationDuration: 'light', animationTimingFunction: 'settle' })}
      >
        <img src={src} alt={alt} loading="lazy" decoding="async" draggable={false} />
      </Box>
      {children}
    </Box>
  );
}

function Unlit({ Icon, tone, title, help }: { Icon: PhosphorIcon; tone: string; title: string; help?: ReactNode }) {
  return (
    <Flex
      {...ratio}
      direction="column"
      align="center"
      justify="center"
      textAlign="center"
      gap="3px"
      p="3.5"
      border="1.5px dashed"
      borderColor="border.control"
      backgroundImage="repeating-linear-gradient(115deg, var(--chakra-colors-bg-subtle) 0 14px, color-mix(in srgb, var(--chakra-colors-bg-subtle) 70%, var(--chakra-colors-bg-muted)) 14px 28px)"
    >
      <Box
        boxSize="touch"
        borderRadius="full"
        display="grid"
        placeItems="center"
        bg="bg.surface"
        color={tone}
        mb="1.5"
        boxShadow="lit"
      >
        <Icon size={22} aria-hidden />
      </Box>
      <Text fontWeight="semibold">{title}</Text>
      {help && (
        <Text fontSize="xs" color="fg.muted" maxW="26ch">
          {help}
        </Text>
      )}
    </Flex>
  );
}

/** Shown for an image whose code was not entered: a hatched area with a lock and a hint. No image data is loaded. */
function UnlitWell() {
  const { t } = useTranslation();
  return (
    <Unlit
      Icon={LockKeyIcon}
      tone="warning.fg"
      title={t('app.well.notVerified')}
      help={t('app.well.notVerifiedHelp')}
    />
  );
}

/** Shown for an image whose share ended. */
export const EndedWell = ({ title, help }: { title: string; help?: ReactNode }) => (
  <Unlit Icon={ProhibitIcon} tone="danger.fg" title={title} help={help} />
);

/** Shown while the preview of an image is being made. */
const WaitingWell = ({ label }: { label: string }) => (
  <Box {...ratio} role="img" aria-label={label} bg="bg.subtle">
    <Waiting boxSize="full" borderRadius="0" />
  </Box>
);

export function PdfWell() {
  const { t } = useTranslation();
  const lines = ['54%', '100%', '100%', '70%', '100%'];
  return (
    <Box {...ratio} bg="bg.subtle" display="grid" placeItems="center">
      <Box position="absolute" top="11px" insetStart="11px">
        <Badge Icon={FilePdfIcon} tone="danger">
          {t('app.well.pdf')}
        </Badge>
      </Box>
      <Flex
        aria-hidden
        direction="column"
        gap="6%"
        w="46%"
        aspectRatio=".78"
        bg="white"
        borderRadius="4px"
        boxShadow="0 6px 18px -4px rgb(10 30 50/.28)"
        pt="13%"
        px="9%"
        transform="translateY(9%)"
      >
        {lines.map((width, index) => (
          <Box
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of the drawing are constant
            key={index}
            h={index === 0 ? '6px' : '4px'}
            w={width}
            borderRadius="3px"
            bg={index === 0 ? '#115C93' : '#CBD7E1'}
          />
        ))}
      </Flex>
    </Box>
  );
}

function PlainWell({ text, Icon }: { text: string; Icon: typeof ImageIcon }) {
  return (
    <Flex
      {...ratio}
      direction="column"
      align="center"
      justify="center"
      gap="2"
      p="4"
      bg="bg.subtle"
      color="fg.muted"
      textAlign="center"
    >
      <Icon size={28} aria-hidden />
      <Text fontSize="sm" overflowWrap="anywhere">
        {text}
      </Text>
    </Flex>
  );
}

function Marks({ image, count }: { image: Pictured; count: number | undefined }) {
  const { t } = useTranslation();
  const { dicom, width, height } = image;
  const isDicom = image.contentType === 'application/dicom';
  const modality = [dicom?.modality, isDicom && t('app.well.dicom')].filter(Boolean).join(' · ');
  return (
    <>
      {modality && <FilmMark at="tl">{modality}</FilmMark>}
      {(count || dicom?.view) && <FilmMark at="tr">{count ? `× ${count}` : dicom?.view}</FilmMark>}
      {dicom?.studyDate && <FilmMark at="bl">{formatFilmDate(dicom.studyDate)}</FilmMark>}
      {width && height && (
        <FilmMark at="br">
          {width}×{height}
        </FilmMark>
      )}
    </>
  );
}

interface WellProps {
  image: Pictured;
  lightUp?: boolean;
  /** The number of images, when the image stands for a study. */
  count?: number;
}

const isDrawable = (contentType: string) => (contentTypes as readonly string[]).includes(contentType);

/** True for a picture whose preview is still being made. */
export const isBeingDrawn = ({ isVerified, contentType, image_url, frames }: Pictured) =>
  isVerified && isDrawable(contentType) && contentType !== 'application/pdf' && !image_url && frames === undefined;

/** Shows an image as this viewer may see it: as a film, as a PDF sheet, locked, or with the reason for no picture. */
export function ImageWell({ image, lightUp = false, count }: WellProps) {
  const { t } = useTranslation();
  const { contentType, image_url, caption } = image;
  if (!image.isVerified) return <UnlitWell />;
  const pictured = contentType.startsWith('image/') || contentType === 'application/dicom';
  if (pictured && image_url) {
    return (
      <Film src={image_url} alt={t('app.well.picture', { caption: caption || t('common.untitled') })} lightUp={lightUp}>
        <Marks image={image} count={count} />
      </Film>
    );
  }
  if (contentType === 'application/pdf') return <PdfWell />;
  if (isBeingDrawn(image)) return <WaitingWell label={t('app.well.making')} />;
  if (isDrawable(contentType)) return <PlainWell Icon={ImageIcon} text={t('app.well.noPreview')} />;
  return <PlainWell Icon={FileXIcon} text={t('app.well.unsupported', { type: contentType })} />;
}
