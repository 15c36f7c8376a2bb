import { chakra, Flex } from '@chakra-ui/react';

interface Props<Id extends string> {
  label: string;
  options: readonly { id: Id; text: string }[];
  chosen: Id;
  onChoose: (id: Id) => void;
}

/** A choice between a few lists. The chosen one is pressed. */
export function Pills<Id extends string>({ label, options, chosen, onChoose }: Props<Id>) {
  return (
    <Flex role="group" aria-label={label} gap="2" mb="3" wrap="wrap">
      {options.map(({ id, text }) => (
        <chakra.button
          key={id}
          type="button"
          aria-pressed={chosen === id}
          onClick={() => onChoose(id)}
          minH="touch"
          px="3.5"
          borderRadius="full"
          borderWidth="1px"
          fontSize="sm"
          fontWeight="medium"
          cursor="pointer"
          borderColor="border.control"
          bg="bg.surface"
          focusVisibleRing="outside"
          _pressed={{ bg: 'fg', color: 'bg.surface', borderColor: 'fg' }}
        >
          {text}
        </chakra.button>
      ))}
    </Flex>
  );
}
