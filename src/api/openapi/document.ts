import { errorEnvelope, oauthRefusal } from '../http/answers/error-envelope.ts';
import { resourceOf, type Row } from '../http/route/route.ts';
import { VERSION } from '../../kernel/words/version.ts';
import { HEADERS } from './headers.ts';
import { createComponents, type JsonSchema } from './components.ts';
import { operationOf } from './operation.ts';
import { nameParts } from './part-names.ts';
import { refusalResponses } from './refusals.ts';
import { securitySchemes } from './security.ts';
import { exampleId } from './examples.ts';

export type Document = {
  openapi: string;
  paths: Record<string, Record<string, unknown>>;
  components: Record<string, unknown>;
  [more: string]: unknown;
};

const INTRODUCTION = `Publish messages to channels. Posthorn delivers each one to every subscription: signed, retried according to the subscription's policy, and never lost.

Send JSON and read JSON. Unknown fields and parameters are rejected. Times are ISO 8601 in UTC, durations are milliseconds, and absent fields are left out. A resource may be sent back as it was read.`;

/**
 * Returns the OpenAPI 3.1 document of these routes, generated from the rows and their schemas alone. `publicBaseUrl` is where callers
 * reach the service.
 */
export function documentOf(rows: readonly Row[], { publicBaseUrl }: { publicBaseUrl: string }): Document {
  const components = createComponents();
  const queries = createComponents({ isQuery: true });
  const paths: Document['paths'] = {};
  for (const row of rows) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(row, { components, queries }) };
  }
  const tags = [...new Set(rows.map(resourceOf))];
  const abouts = new Map(rows.flatMap((row) => (row.about === undefined ? [] : [[resourceOf(row), row.about]])));
  const schemas = {
    ErrorResponse: components.schemaOf(errorEnvelope, 'got'),
    OAuthErrorResponse: {
      ...components.schemaOf(oauthRefusal, 'got'),
      description: 'An error in the format of RFC 6749, for form requests.',
    },
    ...Object.fromEntries(components.schemas),
  };
  const roots: { name: string; schema: JsonSchema }[] = [];
  eachSchema([paths, PARAMETERS], '', (schema, name) => {
    roots.push({ schema, name });
    return schema;
  });
  const named = nameParts(schemas, roots);
  return {
    openapi: '3.1.1',
    info: { title: 'Posthorn', version: VERSION, description: INTRODUCTION },
    servers: [{ url: basePathOf(publicBaseUrl), description: 'This service.' }],
    tags: tags.map((name) => ({ name, description: abouts.get(name) ?? '' })),
    // `as`: only schemas differ.
    paths: eachSchema(paths, '', named.referencing) as Document['paths'],
    components: {
      securitySchemes: securitySchemes({ isSecure: publicBaseUrl.startsWith('https://') }),
      schemas: Object.fromEntries(Object.entries(named.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      responses: refusalResponses(rows),
      headers: HEADERS,
      parameters: eachSchema(PARAMETERS, '', named.referencing),
    },
  };
}

/** Returns the paths with each schema replaced; `replace` gets a name made of its operation and parameter. */
function eachSchema(value: unknown, name: string, replace: (schema: JsonSchema, name: string) => JsonSchema): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => eachSchema(each, name, replace));
  const { operationId, name: parameter } = value as { operationId?: string; name?: string };
  const own = (operationId ?? parameter ?? '').replaceAll(/(?:^|[.-])(\w)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([keyword, part]) => [
      keyword,
      keyword === 'schema'
        ? // `as`: a schema is what stands at this keyword.
          replace(part as JsonSchema, name + own)
        : keyword === 'examples'
          ? part
          : eachSchema(part, name + own, replace),
    ]),
  );
}

const basePathOf = (url: string): string => new URL(url).pathname.replace(/(?<=.)\/$/, '');

/** Headers of requests. */
const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to repeat: for 24 hours, the same request with the same key returns the first response.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 255 },
    examples: { request: { value: 'order-1001-created' } },
  },
  OrganisationHeader: {
    name: 'Posthorn-Organisation',
    in: 'header',
    required: false,
    description: 'Organisation that the user acts in. Required for sessions if no app is named.',
    schema: { type: 'string', examples: [exampleId('organisation')] },
  },
  AppHeader: {
    name: 'Posthorn-App',
    in: 'header',
    required: false,
    description: 'Id of the app that the user acts in.',
    schema: { type: 'string', examples: [exampleId('app')] },
  },
  EnvironmentHeader: {
    name: 'Posthorn-Environment',
    in: 'header',
    required: false,
    description: 'Environment of that app.',
    schema: { type: 'string', enum: ['live', 'test'] },
    examples: { request: { value: 'live' } },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'Id of the last event received; the stream continues after it.',
    schema: { type: 'string', minLength: 1 },
  },
  Proof: {
    name: 'DPoP',
    in: 'header',
    required: false,
    description: 'DPoP proof (RFC 9449) that the token will be bound to. Requests without it are rejected.',
    schema: { type: 'string' },
  },
};
