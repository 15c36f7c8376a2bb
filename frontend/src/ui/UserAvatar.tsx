import { Box, Image } from '@chakra-ui/react';
import { initials, type Named, type Shown } from '../lib/format';
import { usePhoto } from '../lib/photos';

const sizes = {
  sm: { boxSize: '32px', fontSize: '12px' },
  md: { boxSize: '40px', fontSize: '14px' },
  lg: { boxSize: '84px', fontSize: '29px' },
};

/** Returns blue for providers, indigo for admins, and for patients one of three colours, always the same for a name. */
function colourOf(person: Named, role: string | undefined) {
  if (role === 'healthProvider') return 'accent';
  if (role === 'admin') return 'info';
  const sum = [...`${person.firstname ?? ''}${person.lastname ?? ''}`].reduce(
    (all, c) => all + (c.codePointAt(0) ?? 0),
    0,
  );
  return (['success', 'warning', 'gray'] as const)[sum % 3] ?? 'gray';
}

interface Props {
  person: Shown;
  role?: string | undefined;
  size?: keyof typeof sizes;
  online?: boolean;
  /** True on a coloured row (the selected one of a list), so that the circle stays visible. */
  lit?: boolean;
}

/** The photo, or the initials until it is there. */
function Photo({ id, photo, letters }: { id: string; photo: string; letters: string }) {
  const url = usePhoto(id, photo);
  if (!url) return letters;
  return <Image src={url} alt="" boxSize="full" borderRadius="full" objectFit="cover" data-photo={photo} />;
}

/** A circle with a person's photo or initials. Hidden from screen readers, because the name is beside it. */
export function UserAvatar({ person, role, size = 'md', online = false, lit = false }: Props) {
  const colour = colourOf(person, role);
  return (
    <Box
      aria-hidden
      {...sizes[size]}
      display="grid"
      placeItems="center"
      flex="none"
      position="relative"
      borderRadius="full"
      fontWeight="650"
      letterSpacing=".01em"
      bg={lit ? 'bg.surface' : `${colour}.subtle`}
      color={`${colour}.onSubtle`}
    >
      {person.id && person.photo ? (
        <Photo id={person.id} photo={person.photo} letters={initials(person)} />
      ) : (
        initials(person)
      )}
      {online && (
        <Box
          position="absolute"
          insetEnd="-1px"
          bottom="-1px"
          boxSize="12px"
          borderRadius="full"
          bg="success.solid"
          border="2.5px solid"
          borderColor="bg.canvas"
        />
      )}
    </Box>
  );
}
