import { useTexts } from '../lib/texts.ts';
import { ChoiceField } from './field.tsx';

/** Hours for which the secret before a rotation is good beside the new one. */
const OVERLAPS = ['0', '1', '24', '168'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** Asks how long the secret before goes on. `label` says what it does meanwhile. */
export function OverlapField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: Overlap;
  onChange: (hours: Overlap) => void;
}) {
  const t = useTexts();
  return (
    <ChoiceField
      label={label}
      value={value}
      onChange={onChange}
      options={OVERLAPS.map((each) => [each, t.common.overlaps[each]])}
    />
  );
}
