import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { hasMethod, SPOKEN_ELSEWHERE } from '../../client/generate/names.ts';
import { sourcesOf } from '../../client/generate/sources.ts';
import { ENDPOINTS } from '../../client/src/generated/endpoints.ts';
import { ERROR_CODES } from '../../client/src/generated/errors.ts';
import { Posthorn } from '../../client/src/posthorn.ts';
import { isStepError, STEP_ERRORS } from '../../src/kernel/contract/run-outline.ts';
import { noBody, pageOf } from '../../src/api/http/answers/answer-fields.ts';
import { errorEnvelope } from '../../src/api/http/answers/error-envelope.ts';
import { healthAnswer, readyAnswer, unreadyAnswer } from '../../src/api/http/health.ts';
import { errorCodesOf, type Row } from '../../src/api/http/route/route.ts';
import { STATUS_OF_CODE } from '../../src/kernel/errors.ts';
import { routes } from '../../src/process/routes.ts';
import { answerProblems } from '../support/check/answer-check.ts';

describe('answers', () => {
  type Described = { description?: string; properties?: Record<string, Described>; additionalProperties?: unknown } & {
    [name in 'items' | 'propertyNames']?: Described;
  } & { [name in 'anyOf' | 'allOf']?: Described[] };

  /** As a document would show what is on the wire. `as`: the draft says that it has this form. */
  const documentOf = (schema: z.ZodType): Described => z.toJSONSchema(schema, { io: 'input' }) as Described;

  /** Returns fields without a description, and objects that would accept an unknown field. */
  function gapsIn(schema: Described, at: string): string[] {
    const fields = Object.entries(schema.properties ?? {});
    return [
      ...(fields.length > 0 && schema.additionalProperties !== false ? [`${at} is open`] : []),
      ...fields.flatMap(([name, field]) => [
        ...((field.description ?? '') === '' ? [`${at}.${name} is not described`] : []),
        ...gapsIn(field, `${at}.${name}`),
      ]),
      ...(schema.items === undefined ? [] : gapsIn(schema.items, `${at}[]`)),
      ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((each, index) => gapsIn(each, `${at}(${index})`)),
    ];
  }

  const isStream = (schema: z.ZodType): boolean => schema.meta()?.['mediaType'] === 'text/event-stream';
  /** Schema of one event of a stream. `as`: eventsOf puts it there. */
  const eventOf = (schema: z.ZodType): z.ZodType => schema.meta()?.['event'] as z.ZodType;
  /** Schema of one line of an answer of lines. `as`: linesOf puts it there. */
  const lineOf = (schema: z.ZodType): z.ZodType | undefined => schema.meta()?.['line'] as z.ZodType | undefined;

  const table = routes.map((route) => ({ ...route, answer: route.answers[route.status] ?? z.never() }));

  describe.each(table)('$method $path', ({ answer, answers, status }) => {
    test('has one successful response, which is described down to its last field and accepts no other fields', () => {
      expect(Object.keys(answers)).toEqual([String(status)]);
      if (status === 204 || status === 303) expect(answer).toBe(noBody);
      else
        expect(gapsIn(documentOf(isStream(answer) ? eventOf(answer) : (lineOf(answer) ?? answer)), 'answer')).toEqual(
          [],
        );
    });
  });

  test.each(Object.entries({ errorEnvelope, healthAnswer, readyAnswer, unreadyAnswer }))(
    'so has %s',
    (name, schema) => {
      expect(gapsIn(documentOf(schema), name)).toEqual([]);
    },
  );

  test('a gap is found: a field without a description, and an open object', () => {
    const inner = z.array(z.object({ a: z.string().describe('A.'), b: z.string() })).describe('Inner.');
    expect(gapsIn(documentOf(z.strictObject({ inner })), 'x')).toEqual([
      'x.inner[] is open',
      'x.inner[].b is not described',
    ]);
  });

  test('there are two streams, of messages and of changes', () => {
    const streams = table.filter(({ answer }) => isStream(answer));
    expect(streams.map(({ path }) => path)).toEqual(['/v1/channels/:channelId/stream', '/v1/changes']);
    const [message, change] = streams.map(({ answer }) => eventOf(answer));
    expect(documentOf(message ?? noBody).properties).toHaveProperty('eventType');
    expect(documentOf(change ?? noBody).properties).toHaveProperty('isComplete');
  });

  test('every route lists the errors for an invalid request, and each that is not public those for a caller without access', () => {
    for (const { access, method, errors } of routes.filter((row) => row.access !== 'public')) {
      const codes = errorCodesOf({ access, method, errors });
      const ofCredentials = access === 'public' ? [] : ['UNAUTHORIZED', 'FORBIDDEN'];
      expect(codes).toEqual(expect.arrayContaining(['INVALID_REQUEST', 'RATE_LIMITED', ...ofCredentials]));
      expect(new Set(codes).size).toBe(codes.length);
      expect(codes.filter((code) => !(code in STATUS_OF_CODE))).toEqual([]);
    }
    expect(errorCodesOf({ access: 'public', method: 'GET', errors: [] })).not.toContain('UNAUTHORIZED');
  });

  describe('a response is checked against its row', () => {
    const path = '/v1/channels?limit=1';
    const page = { data: [], pagination: { hasMore: false } };
    const refused = (code: string, more: object = {}) => ({ error: { code, message: 'no', ...more } });

    test.each([
      [{ method: 'GET', path, status: 200, body: page }],
      [{ method: 'GET', path, status: 400, body: refused('INVALID_REQUEST') }],
      [{ method: 'GET', path, status: 429, body: refused('RATE_LIMITED', { retryAfter: 1 }) }],
      [{ method: 'HEAD', path, status: 200, body: undefined }],
      [{ method: 'DELETE', path: '/v1/channels/x', status: 204, body: undefined }],
      [{ method: 'POST', path: '/v1/channels', status: 409, body: refused('CONFLICT') }],
      [{ method: 'PUT', path: '/v1/channels', status: 405, body: refused('METHOD_NOT_ALLOWED') }],
      [{ method: 'GET', path: '/nothing', status: 404, body: refused('NOT_FOUND') }],
      [{ method: 'GET', path: '/healthz', status: 200, body: { status: 'ok' } }],
    ])('%j fits', (seen) => {
      expect(answerProblems(seen)).toEqual([]);
    });

    test.each([
      ['an unknown field', { method: 'GET', path, status: 200, body: { ...page, total: 0 } }],
      ['a missing one', { method: 'GET', path, status: 200, body: { data: [] } }],
      ['another status', { method: 'GET', path, status: 201, body: page }],
      ['a body with 204', { method: 'DELETE', path: '/v1/channels/x', status: 204, body: {} }],
      ['a code with another status', { method: 'GET', path, status: 409, body: refused('INVALID_REQUEST') }],
      ['a code that the row does not name', { method: 'GET', path, status: 409, body: refused('CONFLICT') }],
      ['a code that there is not', { method: 'GET', path, status: 400, body: refused('TEAPOT') }],
      [
        'more in the envelope',
        { method: 'GET', path, status: 400, body: { ...refused('INVALID_REQUEST'), stack: '' } },
      ],
      ['a limit without a delay', { method: 'GET', path, status: 429, body: refused('RATE_LIMITED') }],
      [
        'a delay without a limit',
        { method: 'GET', path, status: 400, body: refused('INVALID_REQUEST', { retryAfter: 1 }) },
      ],
      [
        'a probe that is not ready and says no more',
        { method: 'GET', path: '/readyz', status: 503, body: { status: 'ok' } },
      ],
      ['a resource where there is none', { method: 'GET', path: '/nothing', status: 200, body: page }],
      [
        'the row of another parameter',
        { method: 'GET', path: '/v1/dlq/replay', status: 404, body: refused('NOT_FOUND') },
      ],
    ])('%s does not fit', (_, seen) => {
      expect(answerProblems(seen)).not.toEqual([]);
    });
  });
});

describe('specification', () => {
  /** The rows of specification §4, and the two paths of §8. */
  const SPECIFIED: { endpoint: string }[] = [
    { endpoint: 'POST /v1/channels' },
    { endpoint: 'GET /v1/channels' },
    { endpoint: 'GET /v1/channels/{channelId}' },
    { endpoint: 'PATCH /v1/channels/{channelId}' },
    { endpoint: 'POST /v1/channels/{channelId}/messages/batch' },
    { endpoint: 'GET /v1/channels/{channelId}/messages' },
    { endpoint: 'POST /v1/subscriptions' },
    { endpoint: 'PATCH /v1/subscriptions/{subscriptionId}' },
    { endpoint: 'POST /v1/subscriptions/{subscriptionId}/pause' },
    { endpoint: 'GET /v1/deliveries' },
    { endpoint: 'POST /v1/workflows' },
    { endpoint: 'GET /v1/workflows' },
    { endpoint: 'GET /v1/workflows/{workflowId}' },
    { endpoint: 'PATCH /v1/workflows/{workflowId}' },
    { endpoint: 'POST /v1/workflows/{workflowId}/activate' },
    { endpoint: 'PATCH /v1/apps/{appId}' },
    { endpoint: 'GET /v1/connectors/{connectorId}' },
    { endpoint: 'POST /v1/webhooks/{webhookId}' },
    { endpoint: 'POST /oauth/token' },
    { endpoint: 'POST /v1/messages/batch' },
    { endpoint: 'POST /v1/messages/transactional' },
  ];

  /** Written as in the specification. */
  const served = new Set(routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`));

  describe('the specification', () => {
    test.each(SPECIFIED)('$endpoint is served', ({ endpoint }) => {
      expect(served).toContain(endpoint);
    });
  });
});

describe('step errors', () => {
  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name));

  const CODE = /StepFailed\(\s*'([A-Z_]+)'|code: '([A-Z_]+)', message|\? '([A-Z]+)' : '([A-Z]+)', message/g;

  test('every code that a step fails with can be named by onError', () => {
    const thrown = ['src/automations', 'workflows', 'activities']
      .flatMap(filesIn)
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(CODE)].flatMap(([, ...codes]) =>
          codes.filter((code) => code !== undefined),
        ),
      );
    expect(new Set(thrown).size).toBeGreaterThan(20);
    expect([...new Set(thrown)].filter((code) => !isStepError(code))).toEqual([]);
  });

  test('the reference says what each code means', () => {
    const page = readFileSync('docs/reference/workflow-definition.md', 'utf8');
    const table = page.slice(page.indexOf('## Error codes'));
    expect(STEP_ERRORS.filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
  });

  test('a status or its class can be named, and nothing similar', () => {
    expect(['HTTP_100', 'HTTP_404', 'HTTP_5XX', '*'].filter((name) => !isStepError(name))).toEqual([]);
    expect(['HTTP_600', 'HTTP_4X', 'HTTP_4xx', '404', 'http_404', ''].filter(isStepError)).toEqual([]);
  });
});

describe('client', () => {
  const ROOT = join(import.meta.dirname, '../..');
  const REMEDY = 'run `npm run generate:client` and commit client/src/generated';

  type Known = { method: string; path: string };
  const methods = Object.entries(ENDPOINTS).flatMap(([resource, endpoints]: [string, Record<string, Known>]) =>
    Object.entries(endpoints).map(([name, { method, path }]) => ({ resource, name, endpoint: `${method} ${path}` })),
  );

  test('every endpoint of the route table has one method in the client library, and every method has an endpoint', () => {
    const wanted = routes.filter(hasMethod).map(({ method, path }) => `${method} ${path}`);
    const known = methods.map(({ endpoint }) => endpoint);
    const problems = [
      ...wanted.filter((each) => !known.includes(each)).map((each) => `${each} has no method: ${REMEDY}`),
      ...known.filter((each) => !wanted.includes(each)).map((each) => `${each} is no endpoint any more: ${REMEDY}`),
    ];
    expect(problems).toEqual([]);
    expect(new Set(known).size).toBe(known.length);
    // `as`: every resource is an object of methods.
    const client = new Posthorn({ baseUrl: 'http://localhost' }) as unknown as Record<string, Record<string, unknown>>;
    for (const { resource, name } of methods)
      expect([name, typeof client[resource]?.[name]]).toEqual([name, 'function']);
  });

  test('only the listed endpoints have no method', () => {
    const table = routes.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(SPOKEN_ELSEWHERE).filter((each) => !table.includes(each))).toEqual([]);
    const left = routes.filter((row) => !hasMethod(row) && row.status < 300);
    expect(left.map(({ method, path }) => `${method} ${path}`)).toEqual(Object.keys(SPOKEN_ELSEWHERE));
  });

  test('no generated type has the name of a declaration of the library', () => {
    const generated = [...sourcesOf(routes)['types.ts'].matchAll(/^export type (\w+)/gm)].map(([, name = '']) => name);
    expect(new Set(generated).size).toBe(generated.length);
    const own: string[] = readFileSync(join(ROOT, 'client/src/index.ts'), 'utf8').match(/\b[A-Z]\w*/g) ?? [];
    expect(own).toContain('RequestOptions');
    expect(generated.filter((name) => own.includes(name))).toEqual([]);
  });

  test('the generated sources match the current route table and its schemas', () => {
    const stale = Object.entries(sourcesOf(routes))
      .filter(([name, text]) => readFileSync(join(ROOT, 'client/src/generated', name), 'utf8') !== text)
      .map(([name]) => `client/src/generated/${name} is stale: ${REMEDY}`);
    expect(stale).toEqual([]);
  });

  test('a changed schema makes them stale, and a new endpoint adds a method', () => {
    const row = {
      operationId: 'parcels.list',
      summary: 'List parcels',
      description: 'Parcels, the newest first.',
      method: 'GET',
      path: '/v1/parcels',
      access: { scope: 'channels:read' },
      consumes: 'none',
      params: {},
      answers: { 200: pageOf(z.strictObject({ weight: z.number().describe('In grams.') })) },
      status: 200,
      errors: [],
    } as const;
    const before = sourcesOf(routes);
    const after = sourcesOf([...routes, row]);
    expect(after['resources.ts']).not.toBe(before['resources.ts']);
    expect(after['resources.ts']).toContain(
      'list(options?: RequestOptions): Pages<{\n      /** In grams. */\n      readonly weight: number;',
    );
    expect(after['endpoints.ts']).toContain("list: { method: 'GET', path: '/v1/parcels', kind: 'page' }");
    expect(() => sourcesOf([...routes, row, row])).toThrow('Two endpoints are parcels.list');
    const redirect = { ...row, answers: { 303: noBody }, status: 303 };
    // `as`: this route table has no redirect yet.
    expect(sourcesOf([...routes, redirect as unknown as Row])).toEqual(before);
  });

  test('the library has every error code of the service, and no other', () => {
    expect(ERROR_CODES).toEqual(Object.keys(STATUS_OF_CODE));
  });
});
