import { z } from 'zod';

/** JSON Schema as zod writes it, with the name of the type that a part has. */
export type Shown = {
  type?: string | readonly string[];
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  description?: string;
  readOnly?: boolean;
  properties?: Record<string, Shown>;
  required?: readonly string[];
  additionalProperties?: Shown | boolean;
  items?: Shown;
  anyOf?: readonly Shown[];
  allOf?: readonly Shown[];
  wholeNumber?: unknown;
  someOf?: readonly string[];
  default?: unknown;
  not?: Shown;
  typeName?: string;
};

/** Values to send are looser than answers: times may be Dates, and numbers of a query are numbers. */
export type Direction = 'sent' | 'got';

/** JSON Schema of what is on the wire. Named parts have their `typeName` (`.meta` of the schema). */
export const shownOf = (schema: z.ZodType): Shown =>
  // `as`: the draft and our marks have this form.
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Shown;

/** A page of a list: the items' schema. */
export function itemOf({ properties = {} }: Shown): Shown | undefined {
  const isPage = Object.keys(properties).toSorted().join() === 'data,pagination';
  return isPage ? properties['data']?.items : undefined;
}

/** Text of types, and the named types that they mention. */
export function createTypeTexts(): {
  textOf(shown: Shown, direction: Direction): string;
  /** Text of the declaration of a named type. */
  declare(shown: Shown, direction: Direction): string;
  mentioned: Map<string, { shown: Shown; direction: Direction }>;
} {
  const mentioned = new Map<string, { shown: Shown; direction: Direction }>();

  const textOf = (shown: Shown, direction: Direction): string => {
    if (shown.typeName === undefined) return bodyOf(shown, direction);
    const known = mentioned.get(shown.typeName);
    if (known !== undefined && known.direction !== direction)
      throw new Error(`${shown.typeName} is both sent and answered: give one of its schemas a name of its own`);
    mentioned.set(shown.typeName, known ?? { shown, direction });
    return shown.typeName;
  };

  const bodyOf = (shown: Shown, direction: Direction): string => {
    const item = itemOf(shown);
    if (item !== undefined) return `Page<${textOf(item, direction)}>`;
    const several = shown.anyOf ?? shown.allOf;
    if (several !== undefined)
      return [...new Set(several.map((each) => textOf(each, direction)))].join(shown.anyOf ? ' | ' : ' & ');
    if (shown.const !== undefined) return literal(shown.const);
    if (shown.enum !== undefined) return shown.enum.map(literal).join(' | ');
    if (shown.not !== undefined) return 'never';
    if (Array.isArray(shown.type))
      return shown.type.map((type: string) => bodyOf({ ...shown, type }, direction)).join(' | ');
    switch (shown.type) {
      case 'object':
        return objectText(shown, direction);
      case 'array':
        return arrayOf(shown.items, direction);
      case 'string':
        if (direction === 'got') return 'string';
        if (shown.format === 'date-time') return 'string | Date';
        if (shown.someOf !== undefined) return someText(shown.someOf);
        return shown.wholeNumber === undefined ? 'string' : 'number';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
      case 'null':
        return shown.type;
      default:
        return 'unknown';
    }
  };

  const arrayOf = (items: Shown | undefined, direction: Direction): string => {
    const item = items === undefined ? 'unknown' : textOf(items, direction);
    // A union of objects ends as one object does.
    const isOneObject = items?.type === 'object' || items?.typeName !== undefined;
    return `readonly ${item.includes(' | ') && !isOneObject ? `(${item})` : item}[]`;
  };

  /** One of these words, or a list of them. */
  const someText = (words: readonly string[]): string => {
    const each = words.map(literal).join(' | ');
    return `${each} | readonly (${each})[]`;
  };

  const objectText = ({ properties, additionalProperties, required = [] }: Shown, direction: Direction): string => {
    const others = typeof additionalProperties === 'object' ? textOf(additionalProperties, direction) : 'unknown';
    // An interface has no index signature: it would not be taken for a record.
    if (properties === undefined && direction === 'sent' && others === 'unknown') return 'object';
    if (properties === undefined) return `Readonly<Record<string, ${others}>>`;
    // A caller sets no field that is read only, although a resource may be sent back with it.
    const fields = Object.entries(properties).filter(([, field]) => direction === 'got' || field.readOnly !== true);
    const lines = fields.map(([name, field]) => {
      const isOptional = !required.includes(name);
      const type =
        LISTS_IN_QUERIES.has(name) && field.type === 'string' ? 'readonly string[]' : textOf(field, direction);
      // A caller may write undefined where it leaves a field out; JSON has none.
      const orNone = isOptional && direction === 'sent' && type !== 'unknown' ? ' | undefined' : '';
      return `${commentOf(field)}readonly ${name}${isOptional ? '?' : ''}: ${type}${orNone};`;
    });
    return lines.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${indent(lines.join('\n'))}\n}`;
  };

  return {
    textOf,
    mentioned,
    declare: (shown, direction) => `export type ${shown.typeName ?? ''} = ${bodyOf(shown, direction)};`,
  };
}

/** Parameters of queries that are values joined by commas. */
const LISTS_IN_QUERIES = new Set([
  'eventTypes',
  'subscriptionIds',
  'channelIds',
  'workflowIds',
  'webhookIds',
  'userIds',
  'ids',
]);

export const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

const literal = (value: unknown): string =>
  typeof value === 'string' && !/['\\]/.test(value) ? `'${value}'` : JSON.stringify(value);

const commentOf = ({ description, default: standard, type }: Shown): string => {
  const given = standard === undefined || type === 'object' ? '' : `Default: ${JSON.stringify(standard)}.`;
  const text = [description, given].filter(Boolean).join(' ');
  return text === '' ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`;
};
