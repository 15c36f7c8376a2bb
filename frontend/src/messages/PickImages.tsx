import { Box, Button, chakra, Dialog, Grid, Heading, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { CheckCircleIcon, ImagesIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewer } from '../auth/session';
import { ownsImage } from '../images/access';
import { CardWell } from '../images/ImageCard';
import { imageList, ownImages } from '../images/images';
import { stackOf, titleOf } from '../images/subject';
import { EmptyState } from '../ui/EmptyState';
import { Modal } from '../ui/Modal';
import { Waiting } from '../ui/Skeletons';

const pageSize = 12;

interface ChoiceProps {
  image: Image;
  chosen: boolean;
  full: boolean;
  onToggle: () => void;
}

/** A picture with a box that chooses it. Of a study the first image is attached, and the row says so. */
function Choice({ image, chosen, full, onToggle }: ChoiceProps) {
  const { t } = useTranslation();
  const stack = stackOf(image);
  const caption = titleOf(image, t('common.untitled'));
  return (
    <chakra.label
      position="relative"
      display="block"
      p="1.5"
      borderWidth="2px"
      borderColor={chosen ? 'accent.solid' : 'transparent'}
      borderRadius="box"
      bg={chosen ? 'accent.subtle' : 'transparent'}
      cursor={full && !chosen ? 'not-allowed' : 'pointer'}
      opacity={full && !chosen ? 0.6 : 1}
      _hover={{ bg: chosen ? 'accent.subtle' : 'bg.muted' }}
      css={{
        '&:has(:focus-visible)': { outline: '3px solid', outlineColor: 'accent.focusRing', outlineOffset: '2px' },
      }}
    >
      <chakra.input
        type="checkbox"
        checked={chosen}
        disabled={full && !chosen}
        onChange={onToggle}
        position="absolute"
        inset="0"
        opacity="0"
        cursor="inherit"
      />
      <CardWell image={image} />
      {chosen && (
        <Box position="absolute" top="10px" insetEnd="10px" color="accent.solid" bg="bg.surface" borderRadius="full">
          <CheckCircleIcon size={26} weight="fill" aria-hidden />
        </Box>
      )}
      <Text fontSize="sm" fontWeight="medium" lineClamp={2} mt="1.5" dir="auto">
        {caption}
      </Text>
      {stack && (
        <Text fontSize="xs" color="fg.muted">
          {t('messages.attach.first', { count: stack.imageCount })}
        </Text>
      )}
    </chakra.label>
  );
}

interface ListProps {
  title: string;
  images: Image[];
  chosen: readonly string[];
  onToggle: (id: string) => void;
  onMore?: (() => void) | undefined;
}

function Choices({ title, images, chosen, onToggle, onMore }: ListProps) {
  const { t } = useTranslation();
  if (images.length === 0) return null;
  return (
    <Box as="section" aria-label={title} mb="5">
      <Heading as="h3" fontSize="md" mb="2">
        {title}
      </Heading>
      <Grid templateColumns={{ base: 'repeat(2, minmax(0, 1fr))', md: 'repeat(3, minmax(0, 1fr))' }} gap="2">
        {images.map((image) => (
          <Choice
            key={image.id}
            image={image}
            chosen={chosen.includes(image.id)}
            full={chosen.length >= limits.messageImages}
            onToggle={() => onToggle(image.id)}
          />
        ))}
      </Grid>
      {onMore && (
        <Button variant="ghost" size="sm" mt="2" onClick={onMore}>
          {t('messages.attach.more')}
        </Button>
      )}
    </Box>
  );
}

/** The images that the viewer may attach: their own first, then those that were shared with them and are opened. */
function usePickable() {
  const viewer = useViewer();
  const may = (permission: Permission) => roleMay(viewer.role, permission);
  const [sizes, setSizes] = useState({ own: pageSize, shared: pageSize });
  const own = useQuery({ ...ownImages({ page: 1, limit: sizes.own }), enabled: may('image.listOwn') });
  const shared = useQuery(imageList('shared', { page: 1, limit: sizes.shared }, may));
  const more = (name: keyof typeof sizes) =>
    sizes[name] < limits.pageLimitMax
      ? () => setSizes({ ...sizes, [name]: Math.min(sizes[name] * 2, limits.pageLimitMax) })
      : undefined;
  return {
    own: own.data?.data ?? [],
    moreOwn: own.data?.pagination?.hasNextPage ? more('own') : undefined,
    shared: (shared.data?.data ?? []).filter((image) => image.isVerified && !ownsImage(viewer, image)),
    moreShared: shared.data?.pagination?.hasNextPage ? more('shared') : undefined,
    pending: own.isLoading || shared.isLoading,
    failed: own.isError || shared.isError,
    again: () => void Promise.all([own.refetch(), shared.refetch()]),
  };
}

interface Props {
  open: boolean;
  chosen: readonly string[];
  onClose: () => void;
  onChosen: (ids: string[]) => void;
  finalFocus: () => HTMLElement | null;
}

/** The dialog that chooses images for a message; on a phone a sheet. */
export function PickImages({ open, chosen, onClose, onChosen, finalFocus }: Props) {
  const { t } = useTranslation();
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={t('messages.attach.title')}
      sub={t('messages.attach.help', { count: limits.messageImages })}
      scrollBehavior="inside"
      finalFocusEl={finalFocus}
      maxW={{ base: '100vw', md: '680px' }}
    >
      <Picker chosen={chosen} onClose={onClose} onChosen={onChosen} />
    </Modal>
  );
}

function Picker({ chosen: before, onClose, onChosen }: Omit<Props, 'open' | 'finalFocus'>) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<readonly string[]>(before);
  const { own, shared, moreOwn, moreShared, pending, failed, again } = usePickable();
  const toggle = (id: string) =>
    setChosen((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id]));
  const empty = own.length + shared.length === 0;
  return (
    <>
      <Dialog.Body>
        {pending && empty && (
          <Grid templateColumns="repeat(3, minmax(0, 1fr))" gap="3" role="status" aria-label={t('common.loading')}>
            {[1, 2, 3].map((one) => (
              <Waiting key={one} h="120px" borderRadius="film" />
            ))}
          </Grid>
        )}
        {!pending && empty && (
          <EmptyState
            Icon={ImagesIcon}
            title={t(failed ? 'common.couldNotLoad' : 'messages.attach.empty')}
            {...(failed
              ? {
                  act: (
                    <Button variant="subtle" onClick={again}>
                      {t('common.retry')}
                    </Button>
                  ),
                }
              : { text: t('messages.attach.emptyText') })}
          />
        )}
        <Choices title={t('messages.attach.own')} images={own} chosen={chosen} onToggle={toggle} onMore={moreOwn} />
        <Choices
          title={t('messages.attach.shared')}
          images={shared}
          chosen={chosen}
          onToggle={toggle}
          onMore={moreShared}
        />
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button flex={{ base: '1', sm: 'none' }} onClick={() => onChosen([...chosen])}>
          {t('messages.attach.act', { count: chosen.length })}
        </Button>
      </Dialog.Footer>
    </>
  );
}
