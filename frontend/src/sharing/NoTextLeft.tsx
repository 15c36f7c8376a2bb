import { Checkbox, Text } from '@chakra-ui/react';

interface Props {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** A failed attempt, as a sentence. */
  error: string | undefined;
}

/** The statement of a person that no text is left in a copy, and the fault of making it. */
export function NoTextLeft({ label, checked, onChange, error }: Props) {
  return (
    <>
      <Checkbox.Root minH="touch" checked={checked} onCheckedChange={(change) => onChange(change.checked === true)}>
        <Checkbox.HiddenInput />
        <Checkbox.Control />
        <Checkbox.Label>{label}</Checkbox.Label>
      </Checkbox.Root>
      {error && (
        <Text fontSize="sm" color="fg.error" role="alert">
          {error}
        </Text>
      )}
    </>
  );
}
