import type { AnswerField } from '../lib/answer-fields.ts';
import { useTexts } from '../lib/texts.ts';
import { ChoiceField, TextField } from './field.tsx';

type Given = {
  fields: readonly AnswerField[];
  /** Written values by the names of their fields. */
  values: Readonly<Record<string, string>>;
  onChange: (values: Readonly<Record<string, string>>) => void;
  problemIn: (field: AnswerField) => string | undefined;
};

/** A form for the answers that the schema of an approval asks for. */
export function AnswerForm({ fields, values, onChange, problemIn }: Given) {
  const t = useTexts();
  return (
    <div className="form">
      {fields.map((field) => {
        const { name, kind, label, hint, isRequired, choices, initial } = field;
        const common = {
          label: isRequired ? label : t.connections.optional(label),
          value: values[name] ?? initial,
          onChange: (value: string) => onChange({ ...values, [name]: value }),
          problem: problemIn(field),
          hint,
        };
        const isYesOrNo = choices.every(([json]) => json === 'true' || json === 'false');
        if (kind === 'choice')
          return (
            <ChoiceField
              key={name}
              {...common}
              options={[
                ['', ''],
                ...choices.map(([json, text]) => [json, isYesOrNo ? (t.runs.yesOrNo[json] ?? text) : text] as const),
              ]}
            />
          );
        return (
          <TextField
            key={name}
            {...common}
            isRequired={isRequired}
            isCode={kind === 'json'}
            {...(kind === 'json' && { lines: 3 })}
          />
        );
      })}
    </div>
  );
}
