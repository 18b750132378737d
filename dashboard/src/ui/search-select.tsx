import { Combobox } from '@base-ui/react/combobox';
import { Check, ChevronDown } from 'lucide-react';
import { CONTROL, Field, type FieldGiven } from './field.tsx';
import { Icon } from './icon.tsx';
import type { Option } from './select.tsx';

/** One of more things than a list can hold: `options` are those that the page has found for the text of `onSearch`. */
export function SearchSelectField({
  options,
  value,
  chosen,
  onChange,
  onSearch,
  placeholder = 'Search…',
  hasFocus = false,
  ...field
}: FieldGiven & {
  options: readonly Option[];
  value: string;
  /** The chosen one, where it is not among the options any more. */
  chosen?: Option | undefined;
  onChange: (value: string) => void;
  onSearch: (text: string) => void;
  placeholder?: string;
  hasFocus?: boolean;
}) {
  const current = options.find((option) => option.value === value) ?? chosen;
  return (
    <Field {...field}>
      <Combobox.Root
        items={options}
        filter={null}
        value={current ?? null}
        onValueChange={(option: Option | null) => onChange(option?.value ?? '')}
        onInputValueChange={onSearch}
        itemToStringLabel={(option: Option) => option.label}
        isItemEqualToValue={(one: Option, other: Option) => one.value === other.value}
      >
        <div className={CONTROL}>
          <Combobox.Input
            placeholder={placeholder}
            autoFocus={hasFocus}
            spellCheck={false}
            className="min-w-0 flex-1 bg-transparent py-1 outline-none"
          />
          <Combobox.Trigger aria-label="Show options" className="flex items-center">
            <Icon of={ChevronDown} isSmall className="text-text-3" />
          </Combobox.Trigger>
        </div>
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4} collisionPadding={8} align="start" className="z-50 outline-none">
            <Combobox.Popup className="max-h-[min(var(--available-height),340px)] w-(--anchor-width) animate-appear overflow-y-auto rounded-8 bg-raised p-1 shadow-2 outline-none">
              <Combobox.Empty className="px-2 py-1.5 text-text-3 empty:hidden">No matches</Combobox.Empty>
              <Combobox.List>
                {(option: Option) => (
                  <Combobox.Item
                    key={option.value}
                    value={option}
                    className="flex min-h-7.5 items-center gap-2 rounded-4 px-2 text-13 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-10"
                  >
                    <span className="grow truncate">{option.label}</span>
                    {option.note !== undefined && <span className="truncate text-text-3">{option.note}</span>}
                    <Combobox.ItemIndicator>
                      <Icon of={Check} isSmall className="text-accent" />
                    </Combobox.ItemIndicator>
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
    </Field>
  );
}
