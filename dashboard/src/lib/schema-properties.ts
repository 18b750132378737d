export type SchemaProperty = {
  name: string;
  description: string | undefined;
  isRequired: boolean;
  /** A secret text, which is never shown again. */
  isSecret: boolean;
  choices: readonly string[] | undefined;
  type: string | undefined;
};

type Property = { description?: string; writeOnly?: boolean; enum?: readonly string[]; type?: string };

/** Returns the fields of a flat JSON Schema, as connectors have them, and whether each is required. */
export function propertiesOf(schema: Readonly<Record<string, unknown>> | undefined): readonly SchemaProperty[] {
  // `as`: the service generates these schemas, which are objects with described members.
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
