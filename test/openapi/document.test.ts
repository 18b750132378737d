import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { hasMethod, SPOKEN_ELSEWHERE } from '../../client/generate/names.ts';
import { ENDPOINTS } from '../../client/src/generated/endpoints.ts';
import { deprecationHeaders } from '../../src/api/http/route/deprecation.ts';
import { errorCodesOf, type Row } from '../../src/api/http/route/route.ts';
import { STATUS_OF_CODE } from '../../src/kernel/errors.ts';
import { SCOPES } from '../../src/kernel/words/rights.ts';
import type { JsonSchema } from '../../src/api/openapi/components.ts';
import { documentOf } from '../../src/api/openapi/document.ts';
import { ANSWERS } from '../../src/api/openapi/generated/answers.ts';
import { CHOSEN_PARTS } from '../../src/api/openapi/part-names.ts';
import { routes } from '../../src/process/routes.ts';
import { type Operation, operationsOf, schemaProblems } from '../support/check/document.ts';

describe('document', () => {
  const document = documentOf(routes, { publicBaseUrl: 'http://localhost:3000' });
  const operations = operationsOf(document);
  const endpointOf = ({ method, path }: Pick<Row, 'method' | 'path'>): string => `${method} ${path}`;

  test('the document is a valid one of OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('each route is one operation, and each operation is a route', () => {
    expect(operations.map(({ endpoint }) => endpoint).toSorted()).toEqual(routes.map(endpointOf).toSorted());
  });

  test('each resource says once what it is', () => {
    const { tags } = document as unknown as { tags: { name: string; description: string }[] };
    expect(tags.filter(({ description }) => description === '').map(({ name }) => name)).toEqual([]);
  });

  test('an operation is called as the method of the client library that calls it', () => {
    const methods = Object.entries(ENDPOINTS).flatMap(([resource, endpoints]) =>
      Object.entries(endpoints as Record<string, { method: string; path: string }>).map(
        ([name, { method, path }]) => [`${method} ${path}`, `${resource}.${name}`] as const,
      ),
    );
    const known = new Map<string, string>(methods);
    const left = new Set(routes.filter((row) => !hasMethod(row)).map(endpointOf));
    expect(operations.filter(({ endpoint }) => !left.has(endpoint)).map(({ endpoint, id }) => [endpoint, id])).toEqual(
      operations.filter(({ endpoint }) => known.has(endpoint)).map(({ endpoint }) => [endpoint, known.get(endpoint)]),
    );
    expect([...left].toSorted()).toEqual(
      [
        ...Object.keys(SPOKEN_ELSEWHERE),
        'GET /oauth/connections/callback',
        'GET /v1/sign-in/single-sign-on/callback',
      ].toSorted(),
    );
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  test('an operation has every status that its route can answer, and no other', () => {
    const problems = routes.filter((row) => {
      const wanted = [row.status, ...errorCodesOf(row).map((code) => STATUS_OF_CODE[code])].map(String);
      const { responses } = found(endpointOf(row));
      return Object.keys(responses).toSorted().join() !== wanted.toSorted().join();
    });
    expect(problems.map(endpointOf)).toEqual([]);
  });

  test('an operation says which scope it needs, by which credentials', () => {
    for (const row of routes.filter(({ access }) => typeof access === 'object')) {
      const { security, description } = found(endpointOf(row));
      const access = row.access as { scope: string; level?: string };
      expect(description).toContain(`Requires the scope \`${access.scope}\``);
      const schemes = security.map((each) => Object.keys(each).join());
      expect(schemes).toEqual(
        access.level === 'organisation' ? ['session'] : ['apiKey', 'accessToken,proof', 'session'],
      );
      expect(security.every((each) => Object.values(each).flat().join() === access.scope)).toBe(true);
    }
    const { securitySchemes } = document.components as {
      securitySchemes: { accessToken: { flows: { clientCredentials: { scopes: object } } } };
    };
    expect(Object.keys(securitySchemes.accessToken.flows.clientCredentials.scopes)).toEqual([...SCOPES]);
  });

  test('the cookie has the name that the address of the service gives it', () => {
    const cookieAt = (publicBaseUrl: string): unknown =>
      (
        documentOf(routes, { publicBaseUrl }).components as {
          securitySchemes: { session: { name: string } };
        }
      ).securitySchemes.session.name;
    expect(cookieAt('https://posthorn.example.com')).toBe('__Host-posthorn-session');
    expect(cookieAt('http://localhost:3000')).toBe('posthorn-session');
    expect(documentOf(routes, { publicBaseUrl: 'https://example.com/hooks/' })['servers']).toEqual([
      { url: '/hooks', description: 'This service.' },
    ]);
  });

  describe('words', () => {
    test('every operation, parameter, property, header, tag and answer has some', () => {
      expect(wordless(document)).toEqual([]);
    });

    test('a summary is a few words, and a description is sentences', () => {
      const wrong = operations.filter(
        ({ summary, description }) => summary.length > 60 || summary.endsWith('.') || !description.endsWith('.'),
      );
      expect(wrong.map(({ endpoint }) => endpoint)).toEqual([]);
    });

    test('a missing one is found', () => {
      const bare = { paths: { '/x': { get: { parameters: [{ name: 'a', in: 'query', schema: {} }] } } } };
      expect(wordless(bare)).toEqual(['/paths/~x/get/parameters/0', '/paths/~x/get']);
    });
  });

  describe('examples', () => {
    test('every good answer with a body has one', () => {
      const bare = operations.filter(({ endpoint, responses }) => {
        const row = routes.find((each) => endpointOf(each) === endpoint);
        const { content = {} } = responses[String(row?.status)] ?? {};
        const { schema, examples } = content['application/json'] ?? {};
        return schema !== undefined && examples === undefined;
      });
      expect(bare.map(({ endpoint }) => endpoint)).toEqual([]);
    });

    test('each recorded response is that of a route, and no row gives one that is recorded', () => {
      const known = routes.map(endpointOf);
      const recorded = Object.keys(ANSWERS);
      expect(recorded.filter((endpoint) => !known.includes(endpoint))).toEqual([]);
      const given = routes.filter(({ example }) => example?.answer !== undefined).map(endpointOf);
      expect(given.filter((endpoint) => recorded.includes(endpoint))).toEqual([]);
      expect(recorded.length).toBeGreaterThan(100);
    });

    test('every header of an answer and every parameter of a query has one', () => {
      const { headers } = document.components as { headers: Record<string, { examples?: unknown }> };
      expect(Object.keys(headers).filter((name) => headers[name]?.examples === undefined)).toEqual([]);
      const bare = operations.flatMap(({ endpoint, parameters }) =>
        parameters
          .filter((each) => each.in === 'query' && each.examples === undefined)
          .map((each) => [endpoint, each.name]),
      );
      expect(bare).toEqual([]);
    });
  });

  test('a route that will end is deprecated in the document, with the headers of its answers', async () => {
    const row = routes.find((each) => endpointOf(each) === 'GET /v1/channels/:channelId') as Row;
    const deprecation = { since: '2026-10-01', endsAt: '2027-10-01', successor: '/v2/channels/{channelId}' };
    const ending = documentOf([{ ...row, deprecation }], {
      publicBaseUrl: 'http://localhost:3000',
    });
    expect(await new Validator().validate(structuredClone(ending))).toEqual({ valid: true });
    const [operation] = operationsOf(ending);
    expect(operation).toMatchObject({ deprecated: true });
    expect(operation?.description).toContain(
      'Deprecated since 2026-10-01. The route works until 2027-10-01. Use `/v2/channels/{channelId}` instead.',
    );
    const announced = Object.entries(deprecationHeaders(deprecation));
    expect(announced).toHaveLength(3);
    for (const status of ['200', '401', '404', '429']) {
      const { headers = {} } = operation?.responses[status] ?? {};
      for (const [name, value] of announced)
        expect(headers[name]).toMatchObject({ required: true, examples: { answer: { value } } });
    }
    const text = JSON.stringify(document);
    for (const word of ['"deprecated"', '"Sunset"', '"Deprecation"']) expect(text).not.toContain(word);
  });

  test('every example fits its schema', () => {
    const problems: string[] = [];
    let count = 0;
    walk(document, '', (value, place) => {
      const { examples, schema } = value as { examples?: unknown; schema?: object };
      if (schema === undefined || typeof examples !== 'object' || examples === null || Array.isArray(examples)) return;
      for (const { value: example } of Object.values(examples) as { value: unknown }[]) {
        count += 1;
        problems.push(...schemaProblems(document, schema, example).map((problem) => `${place}: ${problem}`));
      }
    });
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThan(60);
  });

  test('nothing of zod and no mark of ours is left in it', () => {
    // Examples hold schemas of users, whose words are their own.
    const text = JSON.stringify(document, (name, value: unknown) => (name === 'examples' ? undefined : value));
    for (const mark of ['typeName', 'takesNull', 'oneOfFields', '$schema', '"id":"__'])
      expect(text).not.toContain(`"${mark}"`);
    expect(text).not.toContain('"readOnly"');
  });

  describe('generators of clients', () => {
    const { schemas, parameters, responses } = document.components as Record<string, Record<string, object>>;
    const names = Object.keys(schemas ?? {});
    /** Schemas but for those in conditions, of which no generator makes a type, by their places. */
    const shown: [place: string, schema: JsonSchema][] = [];
    walk({ paths: document.paths, components: { schemas, parameters } }, '', (value, place) => {
      if (!/\/(?:if|else|examples|default)(?:\/|$)/.test(place)) shown.push([place, value as JsonSchema]);
    });
    const isComponent = (place: string): boolean => /^\/components\/schemas\/[^/]+$/.test(place);

    test('find a name for every enum and for every object with fields', () => {
      const bare = shown.filter(
        ([place, { enum: words, properties, type }]) =>
          !isComponent(place) && (Array.isArray(words) || (type !== undefined && typeof properties === 'object')),
      );
      expect(bare.map(([place]) => place)).toEqual([]);
      expect(names.filter((name) => /\d$|Item$/.test(name))).toEqual(['ChangeChangedItem']);
    });

    test('find no two components whose names differ by case alone, and no schema with a field of its own name', () => {
      const all = [...names, ...Object.keys(parameters ?? {}), ...Object.keys(responses ?? {})];
      const lower = all.map((name) => name.toLowerCase());
      expect(all.filter((_, index) => lower.indexOf(lower[index] ?? '') !== index)).toEqual([]);
      const own = shown.filter(([place, { properties = {} }]) =>
        Object.keys(properties).some((field) => place.toLowerCase() === `/components/schemas/${field.toLowerCase()}`),
      );
      expect(own.map(([place]) => place)).toEqual([]);
    });

    test('find a reference for every refusal', () => {
      const bare = operations.flatMap(({ endpoint, responses: told }) =>
        Object.keys(told).filter((status) => Number(status) >= 400 && told[status]?.$ref === undefined && endpoint),
      );
      expect(bare).toEqual([]);
    });

    test('are told of every object without fields what it may hold', () => {
      const bare = shown.filter(
        ([, { type, properties, additionalProperties }]) =>
          [type].flat().includes('object') && properties === undefined && additionalProperties === undefined,
      );
      expect(bare.map(([place]) => place)).toEqual([]);
    });

    test('find defaults in queries alone, each of which fits its schema', () => {
      const defaults = shown.filter(([place, schema]) => 'default' in schema && !place.endsWith('/properties'));
      expect(defaults.filter(([place]) => !/^\/paths\/.*\/parameters\/\d+\/schema$/.test(place))).toEqual([]);
      expect(defaults.flatMap(([, schema]) => schemaProblems(document, schema, schema['default']))).toEqual([]);
      expect(defaults.length).toBeGreaterThan(3);
    });

    test('get each name that is chosen for a part', () => {
      expect(Object.values(CHOSEN_PARTS).filter((name) => !names.includes(name))).toEqual([]);
    });
  });

  function found(endpoint: string): Operation {
    const operation = operations.find((each) => each.endpoint === endpoint);
    if (operation === undefined) throw new Error(`${endpoint} is not in the document`);
    return operation;
  }

  /** Places without a description. */
  function wordless(whole: object): string[] {
    const places: string[] = [];
    walk(whole, '', (value, place) => {
      const { description, $ref } = value as { description?: string; $ref?: string };
      const isNamed =
        /\/properties\/[^/]+$/.test(place) ||
        /\/parameters\/[^/]+$/.test(place) ||
        /^\/components\/(headers|responses|securitySchemes)\/[^/]+$/.test(place) ||
        /\/responses\/\d+$/.test(place) ||
        /^\/paths\/[^/]+\/(get|post|patch|delete)$/.test(place) ||
        /^\/tags\/\d+$/.test(place);
      if (isNamed && $ref === undefined && (description ?? '') === '') places.push(place);
    });
    return places;
  }

  /** Visits every object, the inner ones first. Slashes in names are written as `~`. */
  function walk(value: unknown, place: string, visit: (value: object, place: string) => void): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) walk(part, `${place}/${name.replaceAll('/', '~')}`, visit);
    visit(value, place);
  }
});

describe('client types', () => {
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
});
