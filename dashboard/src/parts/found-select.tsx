import { Combobox } from '@base-ui/react/combobox';
import clsx from 'clsx';
import { Check, ChevronDown, type LucideIcon, Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { FoundKind, NamePair } from '../lib/list-filter.ts';
import { shortId } from '../ui/copy.tsx';
import { CONTROL, Field, type FieldGiven } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Select } from '../ui/select.tsx';
import { useFoundNames, useSettled } from './use-found.ts';

type Given = {
  kind: FoundKind;
  /** The things that were loaded. */
  known: readonly NamePair[];
  /** There are more, which are searched for. */
  isMore: boolean;
  value: string;
  onChange: (id: string) => void;
  placeholder?: string;
  icon?: LucideIcon | undefined;
  /** Still loading, so the field is disabled: what is typed would be lost. */
  isPending?: boolean;
};

/** A form field that selects one thing of a kind, such as a channel. */
export function FoundSelectField({ beside, ...given }: FieldGiven & Given & { beside?: ReactNode }) {
  const { label, isLabelHidden, hint, error, isDisabled } = given;
  const field = {
    label,
    hint,
    error,
    ...(isLabelHidden !== undefined && { isLabelHidden }),
    ...(isDisabled !== undefined && { isDisabled }),
  };
  return (
    <Field {...field} beside={beside}>
      <FoundSelect {...given} />
    </Field>
  );
}

/** The select without a label. It offers the loaded things at once; if there are more, they are found by name or id. */
export function FoundSelect({
  kind,
  known,
  isMore,
  value,
  onChange,
  label,
  placeholder = 'Choose…',
  look = 'field',
  icon,
  isPending = false,
}: Given & { label: string; look?: 'field' | 'button' }) {
  const [text, setText] = useState('');
  const wanted = useSettled(text.trim());
  const found = useFoundNames(kind, wanted, { known });
  // If the selected thing is not among the loaded ones, request it by its id.
  const chosenOf = useFoundNames(kind, value, { known, isAsked: value !== '' });
  const all = [...known, ...found, ...chosenOf.filter(([id]) => !found.some(([other]) => other === id))];
  // Things with the same name are distinguished by their ids.
  const isTwice = (name: string): boolean => all.filter(([, other]) => other === name).length > 1;
  const options = all.map(([id, name]) => ({
    value: id,
    label: isTwice(name) ? `${name} ${shortId(id)}` : name,
    icon,
  }));
  const chosen = options.find((option) => option.value === value);
  if (!isMore && !isPending) {
    const listed = chosen === undefined && value !== '' ? [...options, { value, label: value, icon }] : options;
    return (
      <Select
        options={listed}
        value={value}
        onChange={onChange}
        placeholder={placeholder}
        label={label}
        look={look}
        {...(icon !== undefined && { icon })}
      />
    );
  }
  const isMeant = (name: string): boolean => name.toLowerCase().includes(text.trim().toLowerCase());
  const shown = options.filter(({ value: id, label: name }) => isMeant(name) || id === text.trim());
  return (
    <Combobox.Root
      items={shown}
      filter={null}
      value={chosen ?? null}
      onValueChange={(option: (typeof options)[number] | null) => option !== null && onChange(option.value)}
      inputValue={text}
      onInputValueChange={setText}
      autoHighlight
      onOpenChange={(isOpen) => isOpen && setText('')}
      itemToStringLabel={(option: (typeof options)[number]) => option.label}
      isItemEqualToValue={(one: (typeof options)[number], other: (typeof options)[number]) => one.value === other.value}
      disabled={isPending}
    >
      <Combobox.Trigger
        className={clsx(
          look === 'field'
            ? CONTROL
            : 'inline-flex h-control items-center gap-1.5 rounded-6 border border-line-strong bg-raised px-2.75 font-medium shadow-1 hover:bg-hover',
        )}
        aria-label={`${label}: ${chosen?.label ?? placeholder}`}
      >
        {icon !== undefined && <Icon of={icon} isSmall className="text-text-2" />}
        <span className={clsx('min-w-0 grow truncate text-left', chosen === undefined && 'text-text-3')}>
          {chosen?.label ?? placeholder}
        </span>
        <Icon of={ChevronDown} isSmall className="text-text-3" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} collisionPadding={8} align="start" className="z-50 outline-none">
          <Combobox.Popup
            aria-label={label}
            className="max-h-[min(var(--available-height),340px)] w-(--anchor-width) min-w-64 animate-appear overflow-y-auto rounded-8 bg-raised p-1 shadow-2 outline-none"
          >
            <div className="sticky -top-1 -mx-1 -mt-1 mb-1 flex items-center gap-2 border-b border-line bg-raised px-3">
              <Icon of={Search} isSmall className="text-text-3" />
              <Combobox.Input
                placeholder="Search by name or ID"
                aria-label="Search by name or ID"
                className="h-9 min-w-0 grow bg-transparent outline-none"
              />
            </div>
            <Combobox.Empty className="px-2 py-1.5 text-text-3 empty:hidden">No matches</Combobox.Empty>
            <Combobox.List>
              {(option: (typeof options)[number]) => (
                <Combobox.Item
                  key={option.value}
                  value={option}
                  className="flex min-h-7.5 items-center gap-2 rounded-4 px-2 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-10"
                >
                  {icon !== undefined && <Icon of={icon} className="text-text-3" />}
                  <span className="grow truncate">{option.label}</span>
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
  );
}
