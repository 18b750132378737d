import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Field as BaseField } from '@base-ui/react/field';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import clsx from 'clsx';
import { Check, CircleAlert, Minus } from 'lucide-react';
import type { ChangeEvent, FocusEvent, HTMLInputTypeAttribute, KeyboardEvent, ReactNode, Ref } from 'react';
import { useRowStop } from './grid-row.ts';
import { Icon } from './icon.tsx';

/** Common parts of every field: a label above, a hint below, and an error, which replaces the hint. */
export type FieldGiven = {
  label: string;
  /** The label is only for screen readers. */
  isLabelHidden?: boolean;
  /** One sentence on what the value does. The placeholder says what an empty field means. */
  hint?: ReactNode;
  /** Keeps the hint visible below an error, because it explains how to write the value. */
  isHintKept?: boolean;
  error?: string | undefined;
  isDisabled?: boolean;
};

/**
 * The frame of a control with its label, hint and error. The control is a child from `@base-ui/react`, or one rendered
 * by `Control`.
 */
export function Field({
  label,
  isLabelHidden = false,
  hint,
  isHintKept = false,
  error,
  isDisabled,
  beside,
  onLabelClick,
  children,
}: FieldGiven & {
  beside?: ReactNode;
  /** For a control that an HTML label cannot reference: moves the focus to it. */
  onLabelClick?: (() => void) | undefined;
  children: ReactNode;
}) {
  return (
    <BaseField.Root invalid={error !== undefined} disabled={isDisabled} className="block min-w-0">
      <div className={clsx(isLabelHidden ? 'sr-only' : 'mb-1.25 flex items-center gap-2')}>
        <BaseField.Label className="text-12 font-medium" onClick={onLabelClick}>
          {label}
        </BaseField.Label>
        {beside}
      </div>
      {children}
      {error !== undefined && (
        <BaseField.Error match className="mt-1.25 flex items-start gap-1.25 text-12 text-failed">
          <Icon of={CircleAlert} isSmall className="mt-px" />
          <span className="first-letter:uppercase">{error}</span>
        </BaseField.Error>
      )}
      {hint !== undefined && (error === undefined || isHintKept) && (
        <BaseField.Description className="mt-1.25 text-12 text-text-3">{hint}</BaseField.Description>
      )}
    </BaseField.Root>
  );
}

/** Classes of an input box, for controls that render their own. */
export const CONTROL =
  'flex min-h-control w-full items-center gap-1.5 rounded-6 border border-line-input bg-surface px-2.25 text-13 text-text focus-within:border-focus focus-within:ring-1 focus-within:ring-focus has-data-invalid:border-failed has-data-invalid:ring-1 has-data-invalid:ring-failed has-disabled:border-line has-disabled:text-text-disabled data-invalid:border-failed';

type TextGiven = FieldGiven & {
  value: string;
  onChange: (value: string) => void;
  onBlur?: (event: FocusEvent) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  placeholder?: string;
  type?: HTMLInputTypeAttribute;
  name?: string;
  isMono?: boolean;
  isRequired?: boolean;
  hasFocus?: boolean;
  autoComplete?: string;
  inputMode?: 'numeric' | 'decimal' | 'email' | 'url' | 'text';
  maxLength?: number;
  min?: number;
  max?: number;
  step?: number | 'any';
  pattern?: string;
  /** Content inside the control before or after the text: a unit, an icon, a button. */
  before?: ReactNode;
  after?: ReactNode;
  beside?: ReactNode;
  ref?: Ref<HTMLInputElement>;
};

export function TextField({
  value,
  onChange,
  onBlur,
  onKeyDown,
  placeholder,
  type = 'text',
  name,
  isMono = false,
  isRequired = false,
  hasFocus = false,
  autoComplete = 'off',
  inputMode,
  maxLength,
  min,
  max,
  step,
  pattern,
  before,
  after,
  ref,
  ...field
}: TextGiven) {
  return (
    <Field {...field}>
      <div className={CONTROL}>
        {before}
        <BaseField.Control
          ref={ref}
          className={clsx('min-w-0 flex-1 bg-transparent py-1 outline-none', isMono && 'mono')}
          value={value}
          onChange={(event: ChangeEvent<HTMLInputElement>) => onChange(event.target.value)}
          onBlur={onBlur}
          onKeyDown={onKeyDown}
          placeholder={placeholder}
          type={type}
          name={name}
          required={isRequired}
          autoFocus={hasFocus}
          autoComplete={autoComplete}
          inputMode={inputMode}
          maxLength={maxLength}
          min={min}
          max={max}
          step={step}
          pattern={pattern}
          spellCheck={false}
        />
        {typeof after === 'string' ? <span className="shrink-0 text-text-2">{after}</span> : after}
      </div>
    </Field>
  );
}

export function TextArea({
  value,
  onChange,
  placeholder,
  isMono = false,
  isRequired = false,
  rows = 4,
  ...field
}: FieldGiven & {
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  isMono?: boolean;
  isRequired?: boolean;
  rows?: number;
}) {
  return (
    <Field {...field}>
      <div className={CONTROL}>
        <BaseField.Control
          render={<textarea rows={rows} />}
          className={clsx('min-w-0 flex-1 resize-y bg-transparent py-1.5 outline-none', isMono && 'mono')}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          placeholder={placeholder}
          required={isRequired}
          spellCheck={!isMono}
        />
      </div>
    </Field>
  );
}

const BOX =
  'inline-grid size-3.75 shrink-0 place-items-center rounded-4 border border-line-input bg-surface data-checked:border-accent-fill data-checked:bg-accent-fill data-checked:text-on-fill data-indeterminate:border-accent-fill data-indeterminate:bg-accent-fill data-indeterminate:text-on-fill data-disabled:border-line data-disabled:bg-sunken';

/** A checkbox with its label after it. `isSome`: it stands for many things, of which some are on. */
export function Checkbox({
  label,
  isLabelHidden = false,
  isOn,
  isSome = false,
  onChange,
  hint,
  isDisabled = false,
}: {
  label: ReactNode;
  isLabelHidden?: boolean;
  isOn: boolean;
  isSome?: boolean;
  onChange: (isOn: boolean) => void;
  hint?: ReactNode;
  isDisabled?: boolean;
}) {
  const stop = useRowStop();
  return (
    <label className="inline-flex items-start gap-2 align-top">
      <span className="inline-flex h-5 items-center">
        <BaseCheckbox.Root
          checked={isOn}
          indeterminate={isSome}
          onCheckedChange={onChange}
          disabled={isDisabled}
          className={BOX}
          {...stop}
          {...(isLabelHidden && typeof label === 'string' && { 'aria-label': label })}
        >
          <BaseCheckbox.Indicator>
            {isSome ? <Minus size={11} strokeWidth={3} /> : <Check size={11} strokeWidth={3} />}
          </BaseCheckbox.Indicator>
        </BaseCheckbox.Root>
      </span>
      {!isLabelHidden && (
        <span>
          {label}
          {hint !== undefined && <span className="block text-12 text-text-3">{hint}</span>}
        </span>
      )}
    </label>
  );
}

/** A checkbox in a row of a list, without a visible label. Each row has one, so it is a single element. */
export function RowCheckbox({
  label,
  isOn,
  onChange,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={isOn}
      aria-label={label}
      data-checked={isOn || undefined}
      className={clsx(BOX, 'align-middle')}
      onClick={() => onChange(!isOn)}
      {...useRowStop()}
    >
      {isOn && <Check size={11} strokeWidth={3} />}
    </button>
  );
}

/** A switch for a setting that takes effect at once. */
export function Switch({
  label,
  isLabelHidden = false,
  isOn,
  onChange,
  hint,
  isDisabled = false,
}: {
  label: string;
  isLabelHidden?: boolean;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  hint?: ReactNode;
  isDisabled?: boolean;
}) {
  return (
    <label className="flex items-start gap-2">
      <BaseSwitch.Root
        checked={isOn}
        onCheckedChange={onChange}
        disabled={isDisabled}
        {...(isLabelHidden && { 'aria-label': label })}
        className="mt-0.5 inline-flex h-4 w-7 shrink-0 items-center rounded-full bg-line-input p-0.5 transition-colors duration-(--fast) data-checked:bg-accent-fill data-disabled:bg-line"
      >
        <BaseSwitch.Thumb className="size-3 rounded-full bg-on-fill transition-transform duration-(--fast) data-checked:translate-x-3" />
      </BaseSwitch.Root>
      {!isLabelHidden && (
        <span>
          {label}
          {hint !== undefined && <span className="block text-12 text-text-3">{hint}</span>}
        </span>
      )}
    </label>
  );
}
