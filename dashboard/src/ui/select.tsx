import { Combobox } from '@base-ui/react/combobox';
import { Select as Base } from '@base-ui/react/select';
import clsx from 'clsx';
import { Check, ChevronDown, type LucideIcon, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { CONTROL, Field, type FieldGiven } from './field.tsx';
import { Icon } from './icon.tsx';

export type Option = {
  value: string;
  label: string;
  /** Shown after the label, in a quieter colour. */
  note?: string | undefined;
  icon?: LucideIcon | undefined;
  /** An element instead of the icon, such as that of a state. */
  mark?: ReactNode;
};

/** With this many options or more, a list has a search field. */
const SEARCHED_FROM = 9;

const POPUP =
  'max-h-[min(var(--available-height),340px)] min-w-(--anchor-width) animate-appear overflow-y-auto rounded-8 bg-raised p-1 shadow-2 outline-none';
const ITEM =
  'flex min-h-7.5 items-center gap-2 rounded-4 px-2 text-13 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-10';

type Given = {
  options: readonly Option[];
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  /** Receives the text of the search field, if there are more options than these. */
  onSearch?: ((text: string) => void) | undefined;
};

/** A labelled field to choose one of several options. With many options it has a search. */
export function SelectField({
  options,
  value,
  onChange,
  placeholder,
  onSearch,
  ...field
}: FieldGiven & Given & { beside?: ReactNode }) {
  return (
    <Field {...field}>
      <Select
        options={options}
        value={value}
        onChange={onChange}
        onSearch={onSearch}
        {...(placeholder !== undefined && { placeholder })}
      />
    </Field>
  );
}

/**
 * The select without a frame: inside a field, or with a hidden label. `look`: `button` makes it look like the buttons
 * next to it.
 */
export function Select({
  options,
  value,
  onChange,
  placeholder = 'Choose…',
  label,
  look = 'field',
  size = 'normal',
  icon,
  className,
  onSearch,
}: Given & {
  label?: string;
  look?: 'field' | 'button' | 'quiet';
  size?: 'normal' | 'small';
  icon?: LucideIcon;
  className?: string;
}) {
  const box = clsx(
    look === 'field'
      ? clsx(
          CONTROL,
          'focus-visible:border-focus focus-visible:ring-1 focus-visible:ring-focus focus-visible:outline-none',
        )
      : clsx(
          'inline-flex items-center gap-1.5 rounded-6 border font-medium whitespace-nowrap',
          size === 'small' ? 'h-control-small px-2 text-12' : 'h-control px-2.75 text-13',
        ),
    look === 'button' && 'border-line-strong bg-raised shadow-1 hover:bg-hover',
    look === 'quiet' && 'border-transparent text-text-2 hover:bg-hover',
    className,
  );
  const chosen = options.find((option) => option.value === value);
  const shown = (
    <>
      {icon !== undefined && <Icon of={icon} isSmall className="text-text-2" />}
      <span
        className={clsx('min-w-0 grow truncate text-left', chosen === undefined && look === 'field' && 'text-text-3')}
      >
        {chosen?.label ?? placeholder}
      </span>
      <Icon of={ChevronDown} isSmall className="text-text-3" />
    </>
  );
  if (options.length >= SEARCHED_FROM || onSearch !== undefined)
    return (
      <Combobox.Root
        items={options}
        value={chosen ?? null}
        onValueChange={(option: Option | null) => option !== null && onChange(option.value)}
        itemToStringLabel={(option: Option) => option.label}
        isItemEqualToValue={(one: Option, other: Option) => one.value === other.value}
        {...(onSearch !== undefined && { onInputValueChange: onSearch })}
      >
        <Combobox.Trigger
          className={box}
          aria-label={label === undefined ? undefined : `${label}: ${chosen?.label ?? placeholder}`}
        >
          {shown}
        </Combobox.Trigger>
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4} collisionPadding={8} align="start" className="z-50 outline-none">
            <Combobox.Popup className={POPUP} aria-label={label ?? 'Options'}>
              <div className="sticky -top-1 -mx-1 -mt-1 mb-1 flex items-center gap-2 border-b border-line bg-raised px-3">
                <Icon of={Search} isSmall className="text-text-3" />
                <Combobox.Input
                  placeholder="Search"
                  aria-label="Search"
                  className="h-9 min-w-0 grow bg-transparent outline-none"
                />
              </div>
              <Combobox.Empty className="empty:hidden px-2 py-1.5 text-text-3">No matches</Combobox.Empty>
              <Combobox.List>
                {(option: Option) => (
                  <Combobox.Item key={option.value} value={option} className={ITEM}>
                    <OptionContent option={option} />
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
  return (
    <Base.Root value={value} onValueChange={(next: string | null) => next !== null && onChange(next)}>
      <Base.Trigger
        className={box}
        aria-label={label === undefined ? undefined : `${label}: ${chosen?.label ?? placeholder}`}
      >
        {shown}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          collisionPadding={8}
          alignItemWithTrigger={false}
          align="start"
          className="z-50 outline-none"
        >
          <Base.Popup className={POPUP}>
            {options.map((option) => (
              <Base.Item key={option.value} value={option.value} className={ITEM}>
                <OptionContent option={option} />
                <Base.ItemIndicator>
                  <Icon of={Check} isSmall className="text-accent" />
                </Base.ItemIndicator>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function OptionContent({ option: { label, note, icon, mark } }: { option: Option }) {
  return (
    <>
      {mark ?? (icon !== undefined && <Icon of={icon} className="text-text-3" />)}
      <span className="grow truncate">{label}</span>
      {note !== undefined && <span className="truncate text-text-3">{note}</span>}
    </>
  );
}
