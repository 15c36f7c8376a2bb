import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { acceptedExtensions, contentTypes } from '@lightbox/contract/images/names.js';
import { UploadSimpleIcon } from '@phosphor-icons/react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';

/** The types that the file picker offers. A dropped file can have any type, so the screen checks the file again. */
const accept = [...contentTypes, ...acceptedExtensions, '.zip'].join();

interface Props {
  /** Called with the chosen files, also when they are not allowed. */
  onFiles: (files: File[]) => void;
  /** Called with what was dropped: files and folders. */
  onDropped: (transfer: DataTransfer) => void;
  invalid?: boolean;
  /** Shown as the size that a file may have. */
  maxBytes?: number;
  /** A lower area, below files that are chosen already. */
  compact?: boolean;
  /** Further buttons. */
  children?: ReactNode;
}

/** Accepts files by drop or file picker. The whole area reacts to the mouse, the button to the keyboard. */
export function FileDrop({ onFiles, onDropped, invalid = false, maxBytes, compact = false, children }: Props) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [dragging, setDragging] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setDragging(true);
  };
  return (
    <Flex
      // The area is only a larger target for the mouse: the keyboard uses the button, so the area has no focus.
      role="group"
      aria-label={t('app.drop.choose')}
      direction="column"
      align="center"
      justify="center"
      textAlign="center"
      w="full"
      p="5"
      minH={compact ? '0' : '220px'}
      gap="2"
      borderWidth="1.5px"
      borderStyle="dashed"
      borderRadius="card"
      borderColor={invalid ? 'border.error' : dragging ? 'accent.fg' : 'border.control'}
      bg={dragging ? 'accent.subtle' : 'bg.surface'}
      cursor="pointer"
      onClick={() => input.current?.click()}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={() => setDragging(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDragging(false);
        onDropped(event.dataTransfer);
      }}
    >
      <input
        ref={input}
        type="file"
        multiple
        accept={accept}
        hidden
        onClick={(event) => event.stopPropagation()}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // Choosing the same file again is a change too.
          target.value = '';
          if (files.length) onFiles(files);
        }}
      />
      {!compact && (
        <Box color="accent.fg">
          <UploadSimpleIcon size={44} weight="duotone" aria-hidden />
        </Box>
      )}
      <Text fontWeight="semibold">{t('app.drop.title')}</Text>
      {/* A click on a button must not open the picker twice. */}
      <Flex gap="2.5" wrap="wrap" justify="center" onClick={(event) => event.stopPropagation()}>
        <Button variant="outline" onClick={() => input.current?.click()}>
          {t('app.drop.choose')}
        </Button>
        {children}
      </Flex>
      {maxBytes !== undefined && (
        <Text fontSize="xs" color="fg.muted">
          {t('app.drop.help', { max: formatBytes(maxBytes) })}
        </Text>
      )}
    </Flex>
  );
}
