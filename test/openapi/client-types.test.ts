import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { hasMethod } from '../../client/generate/names.ts';
import { documentOf } from '../../src/openapi/document.ts';
import { routes } from '../../src/routes.ts';
import { type Operation, operationsOf } from '../support/check/document.ts';

type Reference = { $ref?: string };
type Schema = Reference & {
  properties?: Record<string, Schema & { readOnly?: boolean }>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  /** Fields of each event, where the whole is a stream of them. */
  else?: Schema;
  /** Schema of each line, where the whole is lines of JSON. */
  contentSchema?: Schema;
};
type Parameter = { name: string; in: string; required?: boolean };
type Told = Operation & {
  parameters?: (Parameter & Reference)[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
};

const document = documentOf(routes, { publicBaseUrl: 'http://localhost:3000' });
const { schemas, parameters } = document.components as {
  schemas: Record<string, Schema>;
  parameters: Record<string, Parameter>;
};
const withMethods = new Set(routes.filter(hasMethod).map(({ method, path }) => `${method} ${path}`));
// `as`: the fields of OpenAPI that the common reader of operations leaves out.
const operations = (operationsOf(document) as Told[]).filter(({ endpoint }) => withMethods.has(endpoint));

const generated = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../client/src/generated', name), 'utf8');
const resources = generated('resources.ts');
const types = generated('types.ts');

/** Headers that no method takes as parameters: the client sends them itself, or by its options. */
const headersOf = (operation: Told): string[] =>
  parametersOf(operation)
    .filter((parameter) => parameter.in === 'header')
    .map(({ name }) => name);
const SENT_BY_OPTIONS = [
  'Idempotency-Key',
  'Last-Event-ID',
  'DPoP',
  'Posthorn-Organisation',
  'Posthorn-App',
  'Posthorn-Environment',
];

const nameIn = ({ $ref = '' }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);
const parametersOf = ({ parameters: own }: Told): Parameter[] =>
  own.map((each) => (each.$ref === undefined ? each : (parameters[nameIn(each)] ?? each)));

/** Type that the client has for a schema of the document, by the document's own names. */
function typeOf(schema: Schema): string {
  if (schema.contentSchema !== undefined) return typeOf(schema.contentSchema);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.$ref === undefined) return 'unnamed';
  const name = nameIn(schema);
  const item = schemas[name]?.properties?.['data']?.items;
  return name.endsWith('Page') && item !== undefined ? `Pages<${typeOf(item)}>` : name;
}

/** Type of the data of each event. */
const eventIn = (schema: Schema | undefined): string => typeOf(schema?.else?.properties?.['data'] ?? {});

/** The method of an operation as the document has it: its name, its parameters and what it gives. */
function methodOf(operation: Told): string {
  const path = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `${name}: string`);
  // Other services send bytes of any type, and no method of the client does.
  const typed = Object.entries(operation.requestBody?.content ?? {}).filter(
    ([type]) => type !== 'application/octet-stream',
  );
  const body = typed.map(
    ([, { schema }]) => `body${operation.requestBody?.required === true ? '' : '?'}: ${typeOf(schema)}`,
  );
  const query = parametersOf(operation).some((parameter) => parameter.in === 'query') ? ['query?'] : [];
  const [[media, told] = []] = Object.entries(
    Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {},
  );
  const answer = told === undefined ? 'void' : typeOf(told.schema);
  const given =
    media === 'text/event-stream'
      ? `${eventIn(told?.schema)}Stream`
      : media === 'application/x-ndjson'
        ? `Lines<${answer}>`
        : answer.startsWith('Pages<')
          ? answer
          : `Call<${answer}>`;
  return `${operation.endpoint} = ${operation.id}(${[...path, ...body, ...query].join(', ')}): ${given}`;
}

/** Methods of the client in the same form, and the name of the type of each query. */
const methods = [...resources.matchAll(/^ {2}(\w+): \{\n(.*?)^ {2}\};/gms)].flatMap(([, resource = '', lines = '']) =>
  [...lines.matchAll(/\/\*\* `([^`]+)`.*\n +(\w+)\((.*)\): (.*);/g)].map(
    ([, endpoint = '', name = '', sent = '', given = '']) => {
      const asked = sent.split(', ').filter((each) => !each.startsWith('options?'));
      const query = asked.find((each) => each.startsWith('query?: '))?.slice('query?: '.length);
      const shown = asked.map((each) => (each.startsWith('query?') ? 'query?' : each.replace(' | string', '')));
      return { endpoint, query, text: `${endpoint} = ${resource}.${name}(${shown.join(', ')}): ${given}` };
    },
  ),
);

/** Fields of each type of the client that is an object, with ? behind those that may be left out. */
const fields = new Map(
  [...types.matchAll(/^export type (\w+) = \{\n(.*?)^\};/gms)].map(([, name = '', lines = '']) => [
    name,
    [...lines.matchAll(/^ {2}readonly (\w+)(\??):/gm)].map(([, field = '', mark = '']) => field + mark).toSorted(),
  ]),
);

test('each operation of the document is one method of the client, with its path, parameters, body and answer, and the other way round', () => {
  expect(methods.map(({ text }) => text).toSorted()).toEqual(operations.map(methodOf).toSorted());
  expect(methods.length).toBeGreaterThan(100);
});

test('a query has the parameters that the document names', () => {
  const asked = new Map(methods.map(({ endpoint, query }) => [endpoint, query]));
  for (const operation of operations) {
    const named = parametersOf(operation).filter((parameter) => parameter.in === 'query');
    const type = asked.get(operation.endpoint);
    const known = type === undefined ? [] : fields.get(type);
    expect([operation.endpoint, known]).toEqual([operation.endpoint, named.map(({ name }) => `${name}?`).toSorted()]);
  }
});

test('every header that the document asks of callers is one that the client sends by itself or by its options', () => {
  expect(operations.flatMap(headersOf).filter((name) => !SENT_BY_OPTIONS.includes(name))).toEqual([]);
});

test('a type of the client has the fields of the schema of that name, and leaves out those that it may', () => {
  const compared = Object.entries(schemas).filter(
    ([name, { properties }]) => fields.has(name) && properties !== undefined,
  );
  for (const [name, { properties = {}, required = [] }] of compared) {
    const isSent = operations.some(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).some(({ schema }) => nameIn(schema) === name),
    );
    const told = Object.entries(properties)
      .filter(([, { readOnly }]) => !isSent || readOnly !== true)
      .map(([field]) => field + (required.includes(field) ? '' : '?'));
    expect([name, fields.get(name)]).toEqual([name, told.toSorted()]);
  }
  expect(compared.length).toBeGreaterThan(80);
});

test('every schema of the document that an operation with a method uses is a type of the client', () => {
  const mentioned = new Set(operations.map(methodOf).flatMap((text) => text.match(/\b[A-Z]\w+(?=[>),])/g) ?? []));
  const known = new Set([...types.matchAll(/^export type (\w+)/gm)].map(([, name = '']) => name));
  expect([...mentioned].filter((name) => !known.has(name) && name !== 'MessageStream')).toEqual([]);
});
