import { SelectField } from '../ui/select.tsx';

/** Hours for which the old secret stays valid alongside the new one after a rotation. */
const OVERLAPS = [
  { value: '0', label: 'Stop immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
] as const;
export type OverlapHours = (typeof OVERLAPS)[number]['value'];

/** Asks how long the old secret stays valid after a rotation. */
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
