import { propertiesOf } from '../../lib/schema-properties.ts';
import { TextField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select.tsx';
import { Described } from './parts.tsx';

/** A form for the texts that a schema describes. Secret texts are masked. */
export function CredentialFields({
  schema,
  values,
  onChange,
  errorOf,
}: {
  schema: Readonly<Record<string, unknown>>;
  values: Readonly<Record<string, string>>;
  onChange: (values: Readonly<Record<string, string>>) => void;
  errorOf: (name: string) => string | undefined;
}) {
  return propertiesOf(schema).map(({ name, description, isRequired, isSecret, choices }) => {
    const field = {
      label: isRequired ? name : `${name} (optional)`,
      value: values[name] ?? '',
      onChange: (value: string) => onChange({ ...values, [name]: value }),
      error: errorOf(name),
      ...(description !== undefined && { hint: <Described text={description} /> }),
    };
    if (choices !== undefined)
      return (
        <SelectField
          key={name}
          {...field}
          placeholder="Default"
          options={choices.map((each) => ({ value: each, label: each }))}
        />
      );
    return (
      <TextField
        key={name}
        {...field}
        isMono
        isRequired={isRequired}
        type={isSecret ? 'password' : 'text'}
        // Otherwise the browser would offer the user's own password.
        autoComplete={isSecret ? 'new-password' : 'off'}
      />
    );
  });
}
