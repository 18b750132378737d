import { Field } from '@base-ui/react/field';
import { type Option, Select } from './select.tsx';

/**
 * The unit at the end of a field. It is a field of its own, because the label of the surrounding field would otherwise
 * name the unit and not the number.
 */
export function UnitSelect({
  label,
  units,
  value,
  onChange,
  isDisabled = false,
}: {
  label: string;
  units: readonly Option[];
  value: string;
  onChange: (value: string) => void;
  isDisabled?: boolean | undefined;
}) {
  return (
    <Field.Root disabled={isDisabled} className="contents">
      <Select
        label={label}
        look="quiet"
        className="-mr-2 h-7! px-1.5! font-normal! data-disabled:text-text-disabled"
        options={units}
        value={value}
        onChange={onChange}
      />
    </Field.Root>
  );
}
