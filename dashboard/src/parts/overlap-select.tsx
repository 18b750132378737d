import { SelectField } from '../ui/select.tsx';

/** Hours for which the secret before a rotation is valid beside the new one. */
const OVERLAPS = [
  { value: '0', label: 'Stop immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
] as const;
export type OverlapHours = (typeof OVERLAPS)[number]['value'];

/** Asks how long the secret before a rotation stays valid. */
export function OverlapSelect({
  label,
  value,
  onChange,
}: {
  label: string;
  value: OverlapHours;
  onChange: (hours: OverlapHours) => void;
}) {
  return (
    <SelectField
      label={label}
      options={OVERLAPS}
      value={value}
      onChange={(next) => onChange(OVERLAPS.find((each) => each.value === next)?.value ?? value)}
    />
  );
}
