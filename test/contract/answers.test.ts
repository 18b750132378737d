import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { noBody } from '../../src/http/answers/answer-fields.ts';
import { errorCodesOf } from '../../src/http/route/error-codes.ts';
import { errorEnvelope } from '../../src/http/answers/error-envelope.ts';
import { healthAnswer, readyAnswer, unreadyAnswer } from '../../src/http/pages/health.ts';
import { routes } from '../../src/routes.ts';
import { STATUS_OF_CODE } from '../../src/kernel/errors/api-error.ts';
import { answerProblems } from '../support/check/answer-check.ts';

type Described = { description?: string; properties?: Record<string, Described>; additionalProperties?: unknown } & {
  [name in 'items' | 'propertyNames']?: Described;
} & { [name in 'anyOf' | 'allOf']?: Described[] };

/** As a document would show what is on the wire. `as`: the draft says that it has this form. */
const documentOf = (schema: z.ZodType): Described => z.toJSONSchema(schema, { io: 'input' }) as Described;

/** Fields that no description explains, and objects that would take a field that nobody knows. */
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
  test('has one good answer, which is described down to its last field and takes no other ones', () => {
    expect(Object.keys(answers)).toEqual([String(status)]);
    if (status === 204 || status === 303) expect(answer).toBe(noBody);
    else
      expect(gapsIn(documentOf(isStream(answer) ? eventOf(answer) : (lineOf(answer) ?? answer)), 'answer')).toEqual([]);
  });
});

test.each(Object.entries({ errorEnvelope, healthAnswer, readyAnswer, unreadyAnswer }))('so has %s', (name, schema) => {
  expect(gapsIn(documentOf(schema), name)).toEqual([]);
});

test('a gap is found: a field without a description, and an object that is open', () => {
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

test('every route can say what is wrong with a request, and each that is not public who may not ask', () => {
  for (const { access, method, errors } of routes.filter((row) => row.access !== 'public')) {
    const codes = errorCodesOf({ access, method, errors });
    const ofCredentials = access === 'public' ? [] : ['UNAUTHORIZED', 'FORBIDDEN'];
    expect(codes).toEqual(expect.arrayContaining(['INVALID_REQUEST', 'RATE_LIMITED', ...ofCredentials]));
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.filter((code) => !(code in STATUS_OF_CODE))).toEqual([]);
  }
  expect(errorCodesOf({ access: 'public', method: 'GET', errors: [] })).not.toContain('UNAUTHORIZED');
});

describe('an answer is held to its row', () => {
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
    ['more in the envelope', { method: 'GET', path, status: 400, body: { ...refused('INVALID_REQUEST'), stack: '' } }],
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
