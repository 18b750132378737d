import { isJsonText } from './json-text.ts';
import { itemTexts, memberText, memberTexts } from './raw-json.ts';

/**
 * A field for one member of the response. `json` accepts any JSON and is used if the member's schema is not a simple
 * one.
 */
export type AnswerField = {
  name: string;
  kind: 'text' | 'number' | 'whole' | 'choice' | 'json';
  label: string;
  hint: string | undefined;
  isRequired: boolean;
  /** JSON texts to choose from, with their labels. */
  choices: readonly (readonly [json: string, text: string])[];
  /** The schema's default value. */
  initial: string;
};

/** Schema keywords that express more than the properties do. */
const MORE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'dependentSchemas'];
const KINDS: Readonly<Record<string, AnswerField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'whole',
  boolean: 'choice',
};

/**
 * Returns the fields for the response that a JSON Schema describes, with numbers digit for digit. Returns undefined if
 * the schema is not a flat list of fields.
 */
export function answerFieldsOf(schema: string): AnswerField[] | undefined {
  const properties = memberTexts(memberText(schema, 'properties') ?? '{}');
  const isPlain = [undefined, '"object"'].includes(memberText(schema, 'type'));
  if (!isPlain || properties.length === 0 || MORE.some((name) => memberText(schema, name) !== undefined))
    return undefined;
  const required = itemTexts(memberText(schema, 'required') ?? '[]').map((text) => read(text));
  return properties.map(([name, property]) => fieldOf(name, property, required.includes(name)));
}

function fieldOf(name: string, property: string, isRequired: boolean): AnswerField {
  const type = textIn(property, 'type') ?? '';
  const listed = memberText(property, 'enum');
  const isOther = MORE.some((member) => memberText(property, member) !== undefined);
  const kind = isOther ? 'json' : listed === undefined ? (KINDS[type] ?? 'json') : 'choice';
  const choices = listed === undefined ? (kind === 'choice' ? ['true', 'false'] : []) : itemTexts(listed);
  const proposed = memberText(property, 'default');
  return {
    name,
    kind,
    label: textIn(property, 'title') ?? name,
    hint: textIn(property, 'description'),
    isRequired,
    choices: choices.map((json) => [json, shownText(json)]),
    initial: proposed === undefined ? '' : kind === 'text' ? shownText(proposed) : proposed,
  };
}

/** Returns a JSON string without quotes and escapes, and any other value as it is written. */
const shownText = (json: string): string => {
  const value = read(json);
  return typeof value === 'string' ? value : json;
};

const textIn = (json: string, name: string): string | undefined => {
  const value = read(memberText(json, name) ?? 'null');
  return typeof value === 'string' ? value : undefined;
};

const read = (json: string): unknown => JSON.parse(json);

export type AnswerProblem = 'missing' | 'number' | 'whole' | 'json';

/** Returns why a field's value is invalid, checked before the request is sent. */
export function answerProblem({ kind, isRequired }: AnswerField, value: string): AnswerProblem | undefined {
  if (value === '') return isRequired ? 'missing' : undefined;
  if (kind === 'number') return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value.trim()) ? undefined : 'number';
  if (kind === 'whole') return /^-?\d+$/.test(value.trim()) ? undefined : 'whole';
  return kind === 'json' && !isJsonText(value) ? 'json' : undefined;
}

/** Returns the response as JSON, with every number as it was written. Empty fields are left out. */
export function answersText(fields: readonly AnswerField[], values: Readonly<Record<string, string>>): string {
  const members = fields.flatMap(({ name, kind, initial }) => {
    const value = values[name] ?? initial;
    if (value === '') return [];
    return [`${JSON.stringify(name)}:${kind === 'text' ? JSON.stringify(value) : value.trim()}`];
  });
  return `{${members.join(',')}}`;
}

/** Returns the name that the service's validation errors use for a field of the response. */
export const answerPath = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `data.${name}` : `data[${JSON.stringify(name)}]`;
