import { parsed } from '../../../lib/definition-edit.ts';
import { TextField, type FieldGiven } from '../../../ui/field.tsx';
import { UnitSelect } from '../../../ui/unit-select.tsx';

const UNITS = [
  { value: 'ms', label: 'milliseconds' },
  { value: 's', label: 'seconds' },
  { value: 'm', label: 'minutes' },
  { value: 'h', label: 'hours' },
  { value: 'd', label: 'days' },
] as const;

/** A duration as a number and its unit: `10m`. A duration in another notation is shown as it is. */
export function DurationField({
  raw,
  onChange,
  placeholder,
  unit: firstUnit = 'm',
  ...field
}: FieldGiven & {
  raw: string | undefined;
  onChange: (raw: string | undefined) => void;
  placeholder?: string;
  unit?: (typeof UNITS)[number]['value'];
}) {
  const value = parsed(raw);
  const text = typeof value === 'number' ? `${value}ms` : typeof value === 'string' ? value : '';
  const [, count, unit] = /^(\d*)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (text !== '' && unit === undefined)
    return (
      <TextField
        {...field}
        value={text}
        isMono
        onChange={(next) => onChange(next.trim() === '' ? undefined : JSON.stringify(next.trim()))}
      />
    );
  const write = (nextCount: string, nextUnit: string): void =>
    onChange(nextCount === '' ? undefined : JSON.stringify(`${nextCount}${nextUnit}`));
  return (
    <TextField
      {...field}
      value={count ?? ''}
      inputMode="numeric"
      {...(placeholder !== undefined && { placeholder })}
      onChange={(next) => write(next.replace(/\D/g, ''), unit ?? firstUnit)}
      after={
        <UnitSelect
          label={`Unit of ${field.label}`}
          units={UNITS}
          value={unit ?? firstUnit}
          onChange={(next) => write(count ?? '', next)}
        />
      }
    />
  );
}
