import { Box, Button, chakra, Dialog, Flex, Input, InputGroup, Text, Textarea } from '@chakra-ui/react';
import type { Role } from '@lightbox/contract/permissions.js';
import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { MagnifyingGlassIcon, PaperPlaneRightIcon, UsersIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { memo, type RefObject, useDeferredValue, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { roleAtom } from '../auth/session';
import { fullName } from '../lib/format';
import { useDebounced } from '../lib/useDebounced';
import { RoleBadge } from '../ui/Badge';
import { EmailLine } from '../ui/EmailLine';
import { EmptyState } from '../ui/EmptyState';
import { Field } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { PersonSkeleton } from '../ui/Skeletons';
import { UserAvatar } from '../ui/UserAvatar';
import { chatWith, isGone, peopleNamed } from './messages';
import { post } from './outbox';
import { rowKeys } from './rowKeys';
import { Untied } from './Untied';
import { useUntied } from './useUntied';
import { LengthNote, sendsOn } from './writing';

type OnPick = (person: UserRow) => void;

const nobody: UserRow[] = [];

const PeopleRows = memo(function PeopleRows({ people, onPick }: { people: readonly UserRow[]; onPick: OnPick }) {
  return people.map((person) => (
    <li key={person.id}>
      <chakra.button
        type="button"
        data-row
        display="flex"
        w="full"
        alignItems="center"
        gap="3"
        px="2.5"
        py="2.5"
        textAlign="start"
        borderRadius="box"
        cursor="pointer"
        transition="background-color"
        transitionDuration="fade"
        _hover={{ bg: 'bg.muted' }}
        focusVisibleRing="inside"
        onClick={() => onPick(person)}
      >
        <UserAvatar person={person} role={person.role} />
        <Box minW="0" flex="1">
          <Text as="span" display="block" fontWeight="semibold" truncate>
            <bdi>{fullName(person)}</bdi>
          </Text>
          <Text as="span" display="block" fontSize="sm" color="fg.muted" lineHeight="1.35" overflowWrap="anywhere">
            <bdi>{person.email}</bdi>
          </Text>
        </Box>
        <RoleBadge name={person.role} />
      </chakra.button>
    </li>
  ));
});

function People({ among, onPick }: { among: Role | undefined; onPick: OnPick }) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const wanted = search.trim();
  const asked = useDebounced(wanted);
  const { data, isPending, isPlaceholderData } = useQuery(peopleNamed(asked, among));
  const provider = useAtomValue(roleAtom) === 'healthProvider';
  const list = useRef<HTMLUListElement>(null);
  // The field takes a key before the people that were found are drawn.
  const found = data?.data;
  const drawn = useDeferredValue(found, nobody);
  const people = drawn ?? nobody;
  return (
    <>
      <Box onKeyDown={rowKeys(list)}>
        <InputGroup
          startElement={<MagnifyingGlassIcon size={20} aria-hidden />}
          startElementProps={{ color: 'fg.muted' }}
        >
          <Input
            type="search"
            data-autofocus
            size="lg"
            h="field"
            borderRadius="control"
            aria-label={t('messages.pick.search')}
            placeholder={t('messages.pick.search')}
            autoComplete="off"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </InputGroup>
      </Box>
      <Box
        h="min(420px, 52dvh)"
        overflowY="auto"
        mt="3"
        mx="-2.5"
        aria-busy={isPending || isPlaceholderData || asked !== wanted || drawn !== found}
      >
        {isPending && (
          <Box px="2.5" role="status" aria-label={t('common.loading')}>
            {[1, 2, 3, 4].map((row) => (
              <PersonSkeleton key={row} />
            ))}
          </Box>
        )}
        <Box role="status">
          {found && drawn === found && people.length === 0 && (
            <EmptyState
              Icon={UsersIcon}
              title={t('messages.pick.none')}
              text={t(provider ? 'messages.pick.noneProvider' : 'messages.pick.noneText')}
            />
          )}
        </Box>
        <Box as="ul" ref={list} listStyleType="none" aria-label={t('messages.pick.people')} onKeyDown={rowKeys(list)}>
          <PeopleRows people={people} onPick={onPick} />
        </Box>
        {data?.pagination?.hasNextPage && (
          <Text px="2.5" py="3" fontSize="sm" color="fg.muted">
            {t('messages.pick.more')}
          </Text>
        )}
      </Box>
    </>
  );
}

interface FirstMessageProps {
  person: UserRow;
  onSent: () => void;
  /** Called to write to an administrator instead. */
  onAdmins: () => void;
}

function FirstMessage({ person, onSent, onAdmins }: FirstMessageProps) {
  const { t } = useTranslation();
  // Load the chat now: a refusal is shown before the user has written, and the chat opens without waiting.
  const chat = useQuery(chatWith(person.id));
  const untied = useUntied(person, isGone(chat.error));
  const form = useId();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const submit = () => {
    if (!text.trim()) return;
    const fault = post(person.id, text);
    if (fault) setError(fault);
    else onSent();
  };
  if (untied)
    return (
      <Dialog.Body>
        <Untied person={person} onAdmins={onAdmins} />
      </Dialog.Body>
    );
  return (
    <>
      <Dialog.Body>
        <Flex align="center" gap="3" mb="4.5">
          <UserAvatar person={person} role={person.role} />
          <Box minW="0" flex="1">
            <Text fontWeight="semibold" truncate>
              <bdi>{fullName(person)}</bdi>
            </Text>
            <EmailLine fontSize="sm" color="fg.muted">
              {person.email}
            </EmailLine>
          </Box>
          <RoleBadge name={person.role} />
        </Flex>
        <form
          id={form}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Field label={t('messages.compose.label')} error={error} help={<LengthNote text={text} />}>
            <Textarea
              data-autofocus
              size="lg"
              dir="auto"
              rows={3}
              autoresize
              maxH="220px"
              placeholder={t('messages.write')}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setError(undefined);
              }}
              onKeyDown={(event) => {
                if (!sendsOn(event)) return;
                event.preventDefault();
                submit();
              }}
            />
          </Field>
        </form>
      </Dialog.Body>
      <Dialog.Footer>
        <Dialog.CloseTrigger asChild position="static">
          <Button variant="outline">{t('common.cancel')}</Button>
        </Dialog.CloseTrigger>
        <Button type="submit" form={form}>
          <PaperPlaneRightIcon mirrored={document.dir === 'rtl'} />
          {t('messages.send')}
        </Button>
      </Dialog.Footer>
    </>
  );
}

interface Props {
  open: boolean;
  /** Only people of this role. */
  among: Role | undefined;
  /** Called to write to an administrator, when the viewer cannot write to the chosen person. */
  onAdmins: () => void;
  onClose: () => void;
  /** Called with the id of the recipient after sending, to open their chat. */
  onSent: (userId: string) => void;
  /** The element that opened the dialog. It gets the focus back. */
  opener: RefObject<HTMLElement | null>;
}

/** A dialog with two steps: choose a person, then write the first message. */
export function NewChat({ open, among, onAdmins, onClose, onSent, opener }: Props) {
  const { t } = useTranslation();
  const [person, setPerson] = useState<UserRow>();
  const sent = useRef(false);
  return (
    <>
      <Modal
        open={open && !person}
        onClose={onClose}
        title={t('messages.pick.title')}
        finalFocusEl={() => opener.current}
      >
        <Dialog.Body>
          <People among={among} onPick={setPerson} />
        </Dialog.Body>
      </Modal>
      <Modal
        open={open && Boolean(person)}
        onClose={onClose}
        title={t('messages.compose.title')}
        onExitComplete={() => {
          setPerson(undefined);
          sent.current = false;
        }}
        finalFocusEl={() => (sent.current ? document.querySelector('[data-composer]') : null) ?? opener.current}
      >
        {person && (
          <FirstMessage
            person={person}
            onAdmins={() => {
              setPerson(undefined);
              onAdmins();
            }}
            onSent={() => {
              sent.current = true;
              onSent(person.id);
            }}
          />
        )}
      </Modal>
    </>
  );
}
