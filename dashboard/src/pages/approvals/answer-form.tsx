import type { AnswerField } from '../../lib/answer-fields.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select.tsx';

type Given = {
  fields: readonly AnswerField[];
  /** Entered values by the names of their fields. */
  values: Readonly<Record<string, string>>;
  onChange: (values: Readonly<Record<string, string>>) => void;
  errorIn: (field: AnswerField) => string | undefined;
};

const YES_OR_NO: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' };

/** A form for the response that the schema of an approval describes. */
export function AnswerForm({ fields, values, onChange, errorIn }: Given) {
  return fields.map((field) => {
    const { name, kind, label, hint, isRequired, choices, initial } = field;
    const common = {
      label,
      value: values[name] ?? initial,
      onChange: (value: string) => onChange({ ...values, [name]: value }),
      error: errorIn(field),
      ...(hint !== undefined && { hint }),
    };
    const placeholder = isRequired ? undefined : 'Optional';
    if (kind === 'choice') {
      const isYesOrNo = choices.every(([json]) => json in YES_OR_NO);
      return (
        <SelectField
          key={name}
          {...common}
          placeholder={placeholder ?? 'Choose…'}
          options={[
            ...(isRequired ? [] : [{ value: '', label: 'No answer' }]),
            ...choices.map(([value, text]) => ({ value, label: isYesOrNo ? (YES_OR_NO[value] ?? text) : text })),
          ]}
        />
      );
    }
    if (kind === 'json')
      return <TextArea key={name} {...common} isMono rows={3} {...(placeholder !== undefined && { placeholder })} />;
    return (
      <TextField
        key={name}
        {...common}
        inputMode={kind === 'number' ? 'decimal' : kind === 'whole' ? 'numeric' : 'text'}
        {...(placeholder !== undefined && { placeholder })}
      />
    );
  });
}
