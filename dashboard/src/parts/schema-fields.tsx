import { useTexts } from '../lib/texts.ts';
import { Described } from './described.tsx';
import { ChoiceField, TextField } from './field.tsx';

type Property = { description?: string; writeOnly?: boolean; enum?: readonly string[]; type?: string };

/** The fields of a flat JSON Schema, as connectors have them, with which of them must be there. */
export function propertiesOf(schema: Readonly<Record<string, unknown>> | undefined): {
  name: string;
  property: Property;
  isRequired: boolean;
}[] {
  // `as`: the service makes these schemas, of objects whose members are described.
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Property>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    property,
    isRequired: required.includes(name),
  }));
}

type Given = {
  schema: Readonly<Record<string, unknown>>;
  values: Readonly<Record<string, string>>;
  onChange: (values: Readonly<Record<string, string>>) => void;
  problemOf: (name: string) => string | undefined;
};

/** A form for texts that a schema describes. A text that nobody may see again is written unseen. */
export function SchemaFields({ schema, values, onChange, problemOf }: Given) {
  const t = useTexts();
  return propertiesOf(schema).map(({ name, property, isRequired }) => {
    const common = {
      label: isRequired ? name : t.connections.optional(name),
      value: values[name] ?? '',
      onChange: (value: string) => onChange({ ...values, [name]: value }),
      problem: problemOf(name),
      ...(property.description !== undefined && { hint: <Described text={property.description} /> }),
    };
    if (property.enum !== undefined)
      return (
        <ChoiceField
          key={name}
          {...common}
          options={[['', ''], ...property.enum.map((each) => [each, each] as const)]}
        />
      );
    return (
      <TextField
        key={name}
        {...common}
        isCode
        isRequired={isRequired}
        type={property.writeOnly === true ? 'password' : 'text'}
        // Otherwise the password of the person would be offered.
        autoComplete={property.writeOnly === true ? 'new-password' : 'off'}
      />
    );
  });
}
