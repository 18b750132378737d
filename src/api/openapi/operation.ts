import type { z } from 'zod';
import { ANY_TYPE } from '../http/reading/raw-bytes.ts';
import { errorCodesOf, resourceOf, type Row } from '../http/route/route.ts';
import { headersOfAnswer, takesIdempotencyKey } from './headers.ts';
import type { Components, JsonSchema } from './components.ts';
import { ANSWERS } from './generated/answers.ts';
import { queryExample } from './query-examples.ts';
import { refusalsOf } from './refusals.ts';
import { securityOf } from './security.ts';

type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: JsonSchema;
  [more: string]: unknown;
};

/** Descriptions of successful statuses. */
const ANSWERED: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted and stored.',
  204: 'Done. The response has no body.',
  303: 'The browser is redirected.',
};

/** `queries` are the components of query strings, which the document shows as parameters. */
export type OperationParts = { components: Components; queries: Components };

/** Returns the OpenAPI operation of a route. */
export function operationOf(row: Row, { components, queries }: OperationParts): Record<string, unknown> {
  return {
    operationId: row.operationId,
    summary: row.summary,
    description: [row.description, ...endOf(row), ...rightsOf(row)].join('\n\n'),
    ...(row.deprecation !== undefined && { deprecated: true }),
    tags: [resourceOf(row)],
    security: securityOf(row.access),
    parameters: [...pathParameters(row, components), ...queryParameters(row, queries), ...headerParameters(row)],
    ...bodyOf(row, components),
    responses: {
      [row.status]: answerOf(row, components),
      ...refusalsOf(errorCodesOf(row), row),
    },
  };
}

function rightsOf({ access, isDangerous }: Row): string[] {
  const told =
    typeof access === 'object'
      ? [`Requires the scope \`${access.scope}\`${LEVELS[access.level ?? 'environment']}.`]
      : access === 'public'
        ? []
        : ['Requires a signed-in user.'];
  return isDangerous === true ? [...told, 'A session must have been authenticated within the last 10 minutes.'] : told;
}

/** A note on the deprecation, if there is one. */
function endOf({ deprecation }: Row): string[] {
  if (deprecation === undefined) return [];
  const { since, endsAt, successor } = deprecation;
  const end = endsAt === undefined ? 'No end has been decided.' : `The route works until ${endsAt}.`;
  return [`Deprecated since ${since}. ${end}${successor === undefined ? '' : ` Use \`${successor}\` instead.`}`];
}

const LEVELS = { environment: '', any: ', in an environment or above', organisation: ', above environments' } as const;

const pathParameters = ({ path, params }: Row, components: Components): Parameter[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const { description = 'Id of the resource.', ...schema } = components.schemaOf(params[name] as z.ZodType, 'sent');
    return { name, in: 'path', required: true, description, schema };
  });

function queryParameters({ query, example }: Row, queries: Components): Parameter[] {
  if (query === undefined) return [];
  const shown = queries.schemaOf(query, 'sent');
  const { properties = {}, required = [] } =
    shown.$ref === undefined ? shown : (queries.schemas.get(shown.$ref.split('/').at(-1) ?? '') ?? {});
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => {
    const given = example?.query?.[name] ?? queryExample(name, schema);
    // Empty values are rejected, except for an empty cursor, which means the first page.
    const isText = schema.type === 'string' && schema['enum'] === undefined && name !== 'cursor';
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description,
      // Values of a list are joined with commas; without this they would be repeated parameters.
      ...(schema.type === 'array' && { style: 'form', explode: false }),
      schema: isText ? { minLength: 1, ...schema } : schema,
      ...(given !== undefined && {
        examples: { request: { value: valueOf(given, schema) } },
      }),
    };
  });
}

/** An example as its schema has it: the text in a URL stands for a number, or a list of one. */
function valueOf(given: unknown, { type }: JsonSchema): unknown {
  if (type === 'array') return [given].flat();
  return type === 'integer' ? Number(given) : given;
}

function headerParameters(row: Row): (Parameter | { $ref: string })[] {
  const names = [
    ...(takesIdempotencyKey(row) ? ['IdempotencyKey'] : []),
    ...(isOfSession(row) ? ['OrganisationHeader', 'AppHeader', 'EnvironmentHeader'] : []),
    ...(row.answers[row.status]?.meta()?.['event'] === undefined ? [] : ['LastEventId']),
    ...(row.isOAuth === true ? ['Proof'] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/**
 * Keys and tokens belong to one environment and ignore these headers; where they are accepted too, the description of `session`
 * explains the headers.
 */
const isOfSession = ({ access }: Row): boolean =>
  access === 'session' || (typeof access === 'object' && access.level === 'organisation');

const MEDIA_TYPES = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  parameters: ['application/json', 'application/x-www-form-urlencoded'],
} as const;

/** Raw bytes of any type. Client generators skip operations whose body has the type `*\/*`. */
const rawContentOf = (type: string): [type: string, media: { schema: JsonSchema }] =>
  type === ANY_TYPE
    ? ['application/octet-stream', { schema: { type: 'string', format: 'binary' } }]
    : [type, { schema: {} }];

function bodyOf({ body, consumes, example }: Row, components: Components) {
  if (typeof consumes === 'object')
    return {
      requestBody: {
        description: 'The bytes as their sender signed them, of any media type.',
        required: true,
        content: Object.fromEntries(consumes.raw.map(rawContentOf)),
      },
    };
  if (body === undefined || consumes === 'none') return {};
  const schema = components.schemaOf(body, 'sent');
  const value = example?.body;
  const media = { schema, ...(value !== undefined && { examples: { request: { value } } }) };
  return {
    requestBody: {
      description: 'Fields of the request.',
      required: body.safeParse(undefined).success === false,
      content: Object.fromEntries(MEDIA_TYPES[consumes].map((type) => [type, media])),
    },
  };
}

function answerOf(row: Row, components: Components): Record<string, unknown> {
  const answer = row.answers[row.status];
  const description = ANSWERED[row.status] ?? 'Done.';
  const headers = headersOfAnswer(row);
  if (answer === undefined || [204, 303].includes(row.status)) return { description, headers };
  const { mediaType, event, line, otherType } = answer.meta() ?? {};
  const each = event ?? line;
  const value = ANSWERS[`${row.method} ${row.path}`] ?? row.example?.answer;
  const examples = value !== undefined && { examples: { answer: { value } } };
  if (each === undefined) {
    const media = { schema: components.schemaOf(answer, 'got'), ...examples };
    return { description, headers, content: { 'application/json': media } };
  }
  // JSON Schema can describe only each line or event. `as`: http/event-stream.ts and line-stream.ts put schemas there.
  const part = components.schemaOf(each as z.ZodType, 'got');
  const schema = event === undefined ? linesOf(part) : eventOf(part);
  const other = typeof otherType === 'string' && {
    [otherType]: { schema: { type: 'string', description: 'The same data as a table.' } },
  };
  return { description, headers, content: { [String(mediaType)]: { schema, ...examples }, ...other } };
}

const inText = (part: JsonSchema, description: string): JsonSchema => ({
  type: 'string',
  description,
  contentMediaType: 'application/json',
  contentSchema: part,
});

const linesOf = (part: JsonSchema): JsonSchema => inText(part, 'JSON lines, each as described by `contentSchema`.');

/** A condition, because client generators do not parse streams: with a `type` they would take the whole text for one event. */
const eventOf = (part: JsonSchema): JsonSchema => ({
  description: 'One server-sent event.',
  if: { type: 'null' },
  else: {
    properties: {
      id: { type: 'string', description: 'Position in the stream, for `Last-Event-ID`.' },
      event: { type: 'string', description: 'Kind of the event.' },
      data: inText(part, 'JSON as described by `contentSchema`.'),
    },
  },
});
