export type SchemaProperty = {
  name: string;
  description: string | undefined;
  isRequired: boolean;
  /** A text that nobody may see again. */
  isSecret: boolean;
  choices: readonly string[] | undefined;
  type: string | undefined;
};

type Property = { description?: string; writeOnly?: boolean; enum?: readonly string[]; type?: string };

/** The fields of a flat JSON Schema, as connectors have them, with which of them must be there. */
export function propertiesOf(schema: Readonly<Record<string, unknown>> | undefined): readonly SchemaProperty[] {
  // `as`: the service makes these schemas, of objects whose members are described.
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Property>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, writeOnly = false, enum: choices, type }]) => ({
    name,
    description,
    isRequired: required.includes(name),
    isSecret: writeOnly,
    choices,
    type,
  }));
}
