import { Box, Button, Checkbox, Flex, Table, Text } from '@chakra-ui/react';
import type { TagChange } from '@lightbox/contract/images/drawing.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { CaretDownIcon, EraserIcon, EyeIcon, WarningIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyChangesOf } from '../images/insight';
import { stackOf, titleOf } from '../images/subject';
import { errorText } from '../lib/errors';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { BlackOut } from './BlackOut';
import { BlackOutStudy } from './BlackOutStudy';

interface Props {
  /** The only image of the share, or the one that stands for its study: its copy is shown. */
  image: Image | undefined;
  wanted: boolean;
  onChange: (wanted: boolean) => void;
  /** A copy with text blacked out was made: it is shared in place of the image. */
  onCopy: (copy: Image) => void;
  /** True while rectangles are drawn that no copy has yet: nothing may be shared meanwhile. */
  onDrawing: (drawing: boolean) => void;
}

/** Asks if the recipients get a copy without identity, and shows what they would get. */
export function WithoutIdentity({ image, wanted, onChange, ...ofCopy }: Props) {
  const { t } = useTranslation();
  return (
    <Box data-identity>
      <Checkbox.Root checked={wanted} onCheckedChange={(change) => onChange(change.checked === true)} minH="touch">
        <Checkbox.HiddenInput />
        <Checkbox.Control />
        <Checkbox.Label>{t('sharing.identity.label')}</Checkbox.Label>
      </Checkbox.Root>
      {wanted && (
        <Text fontSize="xs" color="fg.muted">
          {t('sharing.identity.help')}
        </Text>
      )}
      {wanted && image && <Copy key={image.id} image={image} {...ofCopy} />}
    </Box>
  );
}

function Copy({ image, onCopy, onDrawing }: { image: Image } & Pick<Props, 'onCopy' | 'onDrawing'>) {
  const { t } = useTranslation();
  const [blackingOut, setBlackingOut] = useState(false);
  useEffect(() => {
    onDrawing(blackingOut);
    return () => onDrawing(false);
  }, [blackingOut, onDrawing]);
  const { data, error, refetch } = useQuery(copyChangesOf(image.id));
  if (error && !data) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Text py="2" fontSize="sm" color="fg.muted" role="status">
        {t('sharing.identity.checking')}
      </Text>
    );
  }
  const { changes, burnedIn, preview, text, frame } = data;
  const guess = burnedIn === 'likely' && text.length > 0 && preview ? 'found' : burnedIn;
  const stack = stackOf(image);
  if (blackingOut && stack) {
    return (
      <Box mt="3">
        <BlackOutStudy studyId={stack.id} onMade={onCopy} onCancel={() => setBlackingOut(false)} />
      </Box>
    );
  }
  if (blackingOut && frame) {
    return (
      <Box mt="3">
        <BlackOut image={image} size={frame} found={text} onMade={onCopy} onCancel={() => setBlackingOut(false)} />
      </Box>
    );
  }
  return (
    <Flex direction="column" gap="3" mt="3" data-burned-in={burnedIn}>
      {preview && image.image_url ? (
        <Box as="figure">
          <Box bg="film.bg" borderRadius="film" overflow="hidden">
            <Box position="relative" w="fit-content" mx="auto" dir="ltr">
              <img
                src={image.image_url}
                alt={t('images.view.picture', { caption: titleOf(image, t('common.untitled')) })}
                style={{ display: 'block', maxHeight: '260px', maxWidth: '100%' }}
              />
              {frame &&
                text.map((place) => (
                  <Box
                    key={`${place.x0} ${place.y0}`}
                    data-text-place
                    position="absolute"
                    // Around the text, and not over it.
                    outline="1px solid"
                    outlineColor="warning.solid"
                    outlineOffset="2px"
                    style={{
                      left: `${(place.x0 / frame.columns) * 100}%`,
                      top: `${(place.y0 / frame.rows) * 100}%`,
                      width: `${((place.x1 - place.x0) / frame.columns) * 100}%`,
                      height: `${((place.y1 - place.y0) / frame.rows) * 100}%`,
                    }}
                  />
                ))}
            </Box>
          </Box>
          <Text as="figcaption" fontSize="xs" color="fg.muted" mt="1">
            {t('sharing.identity.asSeen')}
            {stack && ` · ${t('sharing.identity.first')}`}
          </Text>
        </Box>
      ) : (
        <Note Icon={EyeIcon} title={t('sharing.identity.noPreview')} />
      )}
      <Note
        Icon={burnedIn === 'no' ? EyeIcon : WarningIcon}
        tone={burnedIn === 'no' ? 'success' : 'warning'}
        role="status"
        title={t(`sharing.identity.burnedIn.${guess}`)}
      />
      {(frame || stack) && (
        <Button variant="outline" size="sm" alignSelf="flex-start" onClick={() => setBlackingOut(true)}>
          <EraserIcon />
          {t('sharing.blackOut.ask')}
        </Button>
      )}
      <Differences changes={changes} />
    </Flex>
  );
}

/** Rows that the table shows. A header may have thousands of differences. */
const SHOWN = 300;

function Differences({ changes }: { changes: readonly TagChange[] }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  if (changes.length === 0) {
    return (
      <Text fontSize="sm" color="fg.muted">
        {t('sharing.identity.none')}
      </Text>
    );
  }
  const title = t('sharing.identity.changes', { count: changes.length });
  return (
    <Box>
      <Button variant="ghost" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
        <CaretDownIcon style={{ transform: open ? 'rotate(180deg)' : undefined }} />
        {title}
      </Button>
      {open && (
        <Box maxH="260px" overflow="auto" tabIndex={0} role="region" aria-label={title} mt="1">
          <Table.Root size="sm" tableLayout="fixed">
            <Table.Header>
              <Table.Row>
                <Table.ColumnHeader>{t('sharing.identity.tag')}</Table.ColumnHeader>
                <Table.ColumnHeader>{t('sharing.identity.before')}</Table.ColumnHeader>
                <Table.ColumnHeader>{t('sharing.identity.after')}</Table.ColumnHeader>
              </Table.Row>
            </Table.Header>
            <Table.Body>
              {changes.slice(0, SHOWN).map((change, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a tag may differ in several items of a sequence
                <Table.Row key={i} data-tag={change.tag}>
                  <Table.Cell overflowWrap="anywhere">
                    <bdi>{change.keyword || nameOf(change.tag)}</bdi>
                  </Table.Cell>
                  <Table.Cell overflowWrap="anywhere" dir="auto">
                    {change.before}
                  </Table.Cell>
                  <Table.Cell overflowWrap="anywhere" dir="auto">
                    {change.after ?? t(`sharing.identity.action.${change.action}`)}
                  </Table.Cell>
                </Table.Row>
              ))}
            </Table.Body>
          </Table.Root>
        </Box>
      )}
    </Box>
  );
}

/** Writes the number of an element as the standard does. Segments of pictures have names. */
const nameOf = (tag: string): string => (/^[0-9a-f]{8}$/.test(tag) ? `(${tag.slice(0, 4)},${tag.slice(4)})` : tag);
