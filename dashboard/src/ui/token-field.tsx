import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { CONTROL, Field, type FieldGiven } from './field.tsx';

/**
 * A field for several short texts, one token each: pasted text is split at commas and spaces, and Backspace removes the
 * last token.
 */
export function TokenField({
  values,
  onChange,
  placeholder,
  isMono = true,
  nameOf = (value) => value,
  ...field
}: FieldGiven & {
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  /** Says what an empty field means. */
  placeholder?: string;
  isMono?: boolean;
  nameOf?: (value: string) => string;
}) {
  const [written, setWritten] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const add = (text: string): void => {
    const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
    if (parts.length > 0) onChange([...new Set([...values, ...parts])]);
    setWritten('');
  };
  return (
    <Field {...field}>
      {/* A press next to the tokens focuses the field, as in any other field. */}
      <div
        className={`${CONTROL} flex-wrap !px-1.25 py-0.75 ${field.error === undefined ? '' : 'border-failed ring-1 ring-failed'}`}
        onPointerDown={(event) => {
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          input.current?.focus();
        }}
      >
        {values.map((value) => (
          <span
            key={value}
            className={`inline-flex h-5.5 max-w-full min-w-0 items-center gap-0.5 rounded-4 bg-pending-soft pl-1.75 ${isMono ? 'mono' : 'text-12'}`}
          >
            <span className="truncate">{nameOf(value)}</span>
            <button
              type="button"
              aria-label={`Remove ${nameOf(value)}`}
              disabled={field.isDisabled === true}
              onClick={() => {
                onChange(values.filter((each) => each !== value));
                input.current?.focus();
              }}
              className="grid size-5 place-items-center rounded-4 text-text-3 hover:bg-pressed hover:text-text"
            >
              <X size={12} strokeWidth={2} aria-hidden="true" />
            </button>
          </span>
        ))}
        <input
          ref={input}
          aria-label={field.label}
          aria-invalid={field.error !== undefined || undefined}
          value={written}
          disabled={field.isDisabled === true}
          placeholder={values.length === 0 ? placeholder : undefined}
          onChange={({ target: { value } }) => (/[,;\s]$/.test(value) ? add(value) : setWritten(value))}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text');
            if (!/[\s,;]/.test(text.trim())) return;
            event.preventDefault();
            add(written + text);
          }}
          onBlur={() => add(written)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && written !== '') {
              event.preventDefault();
              add(written);
            } else if (event.key === 'Backspace' && written === '' && values.length > 0) onChange(values.slice(0, -1));
          }}
          className={`min-w-20 flex-1 bg-transparent px-1 py-0.5 outline-none ${isMono && values.length > 0 ? 'mono' : ''}`}
          spellCheck={false}
          autoComplete="off"
        />
      </div>
    </Field>
  );
}
