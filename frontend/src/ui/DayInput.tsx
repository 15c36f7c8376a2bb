import { Input } from '@chakra-ui/react';
import { type ComponentProps, useState } from 'react';

/** While a year is typed, the browser reports the years 0002, 0020 and 0202. */
const isBeingTyped = (day: string) => day !== '' && day < '1000';

interface Props extends Omit<ComponentProps<typeof Input>, 'type' | 'value' | 'onChange' | 'onBlur'> {
  /** As `2026-11-27`, or empty. */
  day: string;
  onPick: (day: string) => void;
}

/** The field for a day by which a list is filtered. It waits until the year has four digits. */
export function DayInput({ day, onPick, ...input }: Props) {
  const [text, setText] = useState(day);
  const [listed, setListed] = useState(day);
  // Another day came from outside, for instance by Back.
  if (listed !== day) {
    setListed(day);
    setText(day);
  }
  return (
    <Input
      {...input}
      type="date"
      value={text}
      onChange={({ target: { value } }) => {
        setText(value);
        if (!isBeingTyped(value)) onPick(value);
      }}
      // The field then shows the day of the list, and not a half-typed year.
      onBlur={() => setText(day)}
    />
  );
}
