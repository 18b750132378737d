import { type ReactNode, useId } from 'react';
import { isApiError } from '../api/client.ts';

type Given = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  /** The fault of the value, as the service has said. */
  problem?: string | undefined;
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'datetime-local';
  autoComplete?: string;
  placeholder?: string;
  isRequired?: boolean;
  hasFocus?: boolean;
  lines?: number;
  /** How exact a time is, in seconds. */
  step?: number;
  isCode?: boolean;
};

/** A text with its name, its hint and its problem, tied together for screen readers. */
export function TextField(given: Given) {
  const { label, value, onChange, hint, problem, type = 'text', lines, isCode = lines !== undefined } = given;
  const id = useId();
  const common = {
    id,
    value,
    className: isCode ? 'input mono' : 'input',
    required: given.isRequired === true,
    autoComplete: given.autoComplete ?? 'off',
    placeholder: given.placeholder,
    spellCheck: isCode ? false : undefined,
    'aria-invalid': problem === undefined ? undefined : true,
    'aria-describedby': `${id}-more`,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {lines === undefined ? (
        // Only the one field that a page or dialog is opened for has the focus.
        <input
          {...common}
          type={type}
          step={given.step}
          autoFocus={given.hasFocus}
          // A dialog is not open yet when React looks for the one with the focus.
          data-focus={given.hasFocus}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <textarea {...common} rows={lines} onChange={(event) => onChange(event.target.value)} />
      )}
      <FieldMore id={`${id}-more`} hint={hint} problem={problem} />
    </div>
  );
}

export type ChoiceGiven<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: readonly (readonly [value: T, text: string])[];
  hint?: ReactNode;
  problem?: string | undefined;
  /** The form is not sent with an empty value. */
  isRequired?: boolean;
};

/**
 * One of several values by a list of the browser's own. Nothing can be written while there is nothing to choose: once they are read, many
 * values have a field of another kind here.
 */
export function ChoiceField<T extends string>(given: ChoiceGiven<T>) {
  const { label, value, onChange, options, hint, problem, isRequired = false } = given;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {/* `as`: the options have no other values. */}
      <select
        id={id}
        className="input"
        value={value}
        required={isRequired}
        disabled={options.every(([each]) => each === '')}
        onChange={(event) => onChange(event.target.value as T)}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={`${id}-more`}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      <FieldMore id={`${id}-more`} hint={hint} problem={problem} />
    </div>
  );
}

/** Hint and problem of a field, below it. */
const FieldMore = ({ id, hint, problem }: { id: string; hint: ReactNode; problem: string | undefined }) => (
  <div id={id}>
    {problem !== undefined && <div className="problem">{problem}</div>}
    {hint !== undefined && <div className="hint">{hint}</div>}
  </div>
);

/** A box of a choice that several others stand beside. */
export function Check({
  label,
  isOn,
  onChange,
}: {
  label: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} /> {label}
    </label>
  );
}

/** The reason that a refusal gives for a field, or of one inside it such as `retryPolicy.maxRetries`. */
export const problemOf = (error: unknown, field: string): string | undefined => {
  if (!isApiError(error) || error.details === undefined) return undefined;
  const { field: refused, reason } = error.details;
  return refused === field || refused.startsWith(`${field}.`) || refused.startsWith(`${field}[`) ? reason : undefined;
};
