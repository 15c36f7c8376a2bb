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
  const [typed, setTyped] = useState({ at: day, text: day });
  const text = typed.at === day ? typed.text : day;
  return (
    <Input
      {...input}
      type="date"
      value={text}
      onChange={({ target: { value } }) => {
        setTyped({ at: day, text: value });
        if (!isBeingTyped(value)) onPick(value);
      }}
      // It shows the day that the list has, and no year that was left half.
      onBlur={() => setTyped({ at: day, text: day })}
    />
  );
}
