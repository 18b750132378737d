import { Autocomplete } from '@base-ui/react/autocomplete';
import clsx from 'clsx';
import { type ReactNode, useState } from 'react';
import { CONTROL, Field, type FieldGiven } from './field.tsx';

/** A text field with suggestions from the known values. */
export function SuggestField({
  value,
  onChange,
  known,
  placeholder,
  isMono = false,
  hasFocus = false,
  name,
  beside,
  ...field
}: FieldGiven & {
  value: string;
  onChange: (value: string) => void;
  known: readonly string[];
  placeholder?: string;
  isMono?: boolean;
  hasFocus?: boolean;
  name?: string;
  beside?: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const offered = known.filter((each) => each !== value && each.toLowerCase().includes(value.toLowerCase()));
  return (
    <Autocomplete.Root
      items={offered}
      filter={null}
      value={value}
      // Otherwise Escape would clear the field, and the form would then ask whether to discard what is already gone.
      onValueChange={(next, { reason }) => reason !== 'escape-key' && onChange(next)}
      // Even an empty list would keep screen readers from the rest of the form.
      open={isOpen && offered.length > 0}
      onOpenChange={setIsOpen}
      openOnInputClick
    >
      <Field {...field} beside={beside}>
        <div className={CONTROL}>
          <Autocomplete.Input
            className={clsx('min-w-0 flex-1 bg-transparent py-1 outline-none', isMono && 'mono')}
            placeholder={placeholder}
            autoFocus={hasFocus}
            autoComplete="off"
            spellCheck={false}
            name={name}
          />
        </div>
      </Field>
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} collisionPadding={8} align="start" className="z-50 outline-none">
          <Autocomplete.Popup className="max-h-[min(var(--available-height),280px)] w-(--anchor-width) animate-appear overflow-y-auto rounded-8 bg-raised p-1 shadow-2 outline-none data-empty:hidden">
            <Autocomplete.List>
              {(each: string) => (
                <Autocomplete.Item
                  key={each}
                  value={each}
                  className={clsx(
                    'flex min-h-7.5 items-center truncate rounded-4 px-2 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-10',
                    isMono && 'mono',
                  )}
                >
                  {each}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}
