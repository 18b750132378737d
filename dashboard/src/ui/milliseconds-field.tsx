import { useState } from 'react';
import { type FieldGiven, TextField } from './field.tsx';
import { UnitSelect } from './unit-select.tsx';

const UNITS = [
  { value: '1', label: 'milliseconds' },
  { value: '1000', label: 'seconds' },
  { value: '60000', label: 'minutes' },
  { value: '3600000', label: 'hours' },
] as const;

/** The largest unit in which a span is a whole number. */
const unitOf = (ms: number): string =>
  UNITS.findLast(({ value }) => ms >= Number(value) && ms % Number(value) === 0)?.value ?? '1';

/** A span of time as a number and its unit. Its value is the text of a number of milliseconds; empty without one. */
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
  // What stands there is shown as long as it means the value: `1.50` stays so.
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
