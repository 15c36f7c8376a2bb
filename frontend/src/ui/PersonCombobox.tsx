import { Box, Combobox, createListCollection, Text } from '@chakra-ui/react';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { MagnifyingGlassIcon } from '@phosphor-icons/react';
import { type ComponentProps, type ReactNode, type Ref, useMemo, useRef } from 'react';
import { flushSync } from 'react-dom';
import { fullName } from '../lib/format';
import { EmailLine } from './EmailLine';
import { UserAvatar } from './UserAvatar';

const looks = {
  /** In a form, below a label. */
  field: {
    icon: { at: '13px', size: 20 },
    input: {
      h: 'field',
      ps: '42px',
      borderRadius: 'control',
      fontSize: { base: 'md', lg: '.9375rem' },
    },
    item: { minH: '52px', fontSize: '.9375rem' },
  },
  /** In a bar above a list. */
  filter: {
    icon: { at: '3', size: 18 },
    input: { h: 'control', ps: '9', bg: 'bg.surface' },
    item: { minH: '48px', fontSize: 'sm' },
  },
} as const;

interface Props extends Omit<ComponentProps<typeof Combobox.Root>, 'collection' | 'children'> {
  look: keyof typeof looks;
  people: readonly UserRow[];
  /** Called with the text of the box, and with the reason of the change; the screen searches. */
  onSearch: (text: string, reason: string | undefined) => void;
  onChoose: (person: UserRow | undefined) => void;
  /** The accessible name of the input, when no field around it has a label. */
  label?: string;
  /** The text in an empty list; without it an empty list is not shown. */
  nobody?: ReactNode;
  /** True: with buttons that clear the choice and open the list, and a mark at the chosen person. */
  triggers?: boolean;
  inputRef?: Ref<HTMLInputElement>;
}

/** A combobox to find a person. The screen does the search and stores the choice. */
export function PersonCombobox(props: Props) {
  const { look, people, onSearch, onChoose, label, nobody, triggers, inputRef, ...root } = props;
  const collection = useMemo(
    () => createListCollection({ items: people, itemToValue: ({ id }) => id, itemToString: fullName }),
    [people],
  );
  const { icon, input, item } = looks[look];
  const typed = useRef<string>(undefined);
  const empty = people.length === 0;
  return (
    <Combobox.Root
      collection={collection}
      onInputValueChange={({ inputValue, reason }) => {
        const search = () => onSearch(inputValue, reason);
        // The combobox writes this text into the box when React has drawn it. Drawn at once, it meets no letter typed since.
        if (inputValue === typed.current) flushSync(search);
        else search();
        typed.current = undefined;
      }}
      onValueChange={({ items }) => onChoose(items[0])}
      openOnChange
      positioning={{ sameWidth: true, gutter: 6 }}
      {...root}
    >
      <Combobox.Control>
        <Box
          position="absolute"
          insetStart={icon.at}
          top="0"
          h="full"
          display="grid"
          placeItems="center"
          color="fg.muted"
          pointerEvents="none"
          zIndex="1"
        >
          <MagnifyingGlassIcon size={icon.size} aria-hidden />
        </Box>
        <Combobox.Input
          {...(inputRef && { ref: inputRef })}
          onInput={({ currentTarget }) => {
            typed.current = currentTarget.value;
          }}
          {...input}
          autoComplete="off"
          dir="auto"
          {...(label && { 'aria-label': label })}
        />
        {triggers && (
          <Combobox.IndicatorGroup>
            <Combobox.ClearTrigger />
            <Combobox.Trigger />
          </Combobox.IndicatorGroup>
        )}
      </Combobox.Control>
      {/* Rendered also while the list is closed, because the positioner must exist when the list opens. */}
      <Combobox.Positioner>
        <Combobox.Content
          borderRadius="box"
          borderWidth="1px"
          borderColor="border"
          boxShadow="float"
          p="1.5"
          {...(empty && !nobody && { display: 'none' })}
        >
          {empty && nobody && (
            <Text px="2.5" py="3" fontSize="sm" color="fg.muted" role="status">
              {nobody}
            </Text>
          )}
          {people.map((person) => (
            <Combobox.Item key={person.id} item={person} minH={item.minH} borderRadius="9px" px="2.5" gap="3">
              <UserAvatar person={person} role={person.role} size="sm" />
              <Box flex="1" minW="0">
                <Combobox.ItemText>
                  <Text as="bdi" fontWeight="semibold" fontSize={item.fontSize} display="block" truncate>
                    {fullName(person)}
                  </Text>
                </Combobox.ItemText>
                <EmailLine fontSize="xs" color="fg.muted">
                  {person.email}
                </EmailLine>
              </Box>
              {triggers && <Combobox.ItemIndicator />}
            </Combobox.Item>
          ))}
        </Combobox.Content>
      </Combobox.Positioner>
    </Combobox.Root>
  );
}
