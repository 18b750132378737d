import { useState } from 'react';
import { type FieldGiven, TextField } from './field.tsx';
import { UnitSelect } from './unit-select.tsx';

const UNITS = [
  { value: '1', label: 'milliseconds' },
  { value: '1000', label: 'seconds' },
  { value: '60000', label: 'minutes' },
  { value: '3600000', label: 'hours' },
] as const;

/** Returns the largest unit in which a span is a whole number. */
const unitOf = (ms: number): string =>
  UNITS.findLast(({ value }) => ms >= Number(value) && ms % Number(value) === 0)?.value ?? '1';

/** A time span as a number and its unit. Its value is a number of milliseconds as text, or an empty text. */
export function MillisecondsField({
  value,
  onChange,
  placeholder,
  isRequired = false,
  ...field
}: FieldGiven & {
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  isRequired?: boolean;
}) {
  const ms = Number(value);
  const [unit, setUnit] = useState(() => unitOf(value === '' ? 1_000 : ms));
  const [text, setText] = useState(() => (value === '' ? '' : String(ms / Number(unit))));
  const write = (nextText: string, nextUnit: string): void => {
    setText(nextText);
    setUnit(nextUnit);
    onChange(nextText === '' ? '' : String(Math.round(Number(nextText) * Number(nextUnit))));
  };
  // Keep the typed text as long as it means the same value: `1.50` stays `1.50`.
  const isOwn = value === '' ? text === '' : Math.round(Number(text) * Number(unit)) === ms;
  return (
    <TextField
      {...field}
      value={isOwn ? text : value === '' ? '' : String(ms / Number(unit))}
      inputMode="decimal"
      isRequired={isRequired}
      {...(placeholder !== undefined && { placeholder })}
      onChange={(next) => write(next.replaceAll(/[^\d.]/g, ''), unit)}
      after={
        <UnitSelect
          label={`Unit of ${field.label.toLowerCase()}`}
          units={UNITS}
          value={unit}
          onChange={(next) => write(text, next)}
          isDisabled={field.isDisabled}
        />
      }
    />
  );
}
