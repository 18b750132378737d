import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { hasMethod, SPOKEN_ELSEWHERE } from '../../client/generate/names.ts';
import { readSchemaNames } from '../../client/generate/schema-names.ts';
import { sourcesOf } from '../../client/generate/sources.ts';
import { ENDPOINTS } from '../../client/src/generated/endpoints.ts';
import { ERROR_CODES } from '../../client/src/generated/errors.ts';
import { Posthorn } from '../../client/src/posthorn.ts';
import { noBody, pageOf } from '../../src/http/answers/answer-fields.ts';
import type { Row } from '../../src/http/route/route.ts';
import { STATUS_OF_CODE } from '../../src/kernel/errors/api-error.ts';
import { CHOSEN, methodNameOf } from '../../src/openapi/operation-names.ts';
import { routes } from '../../src/routes.ts';
import { tableRowsOf } from '../docs/code-blocks.ts';

const ROOT = join(import.meta.dirname, '../..');
const REMEDY = 'run `npm run generate:client` and commit client/src/generated';

type Known = { method: string; path: string };
const methods = Object.entries(ENDPOINTS).flatMap(([resource, endpoints]: [string, Record<string, Known>]) =>
  Object.entries(endpoints).map(([name, { method, path }]) => ({ resource, name, endpoint: `${method} ${path}` })),
);

test('every endpoint of the route table has one method in the client library, and no method has none', () => {
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
  for (const { resource, name } of methods) expect([name, typeof client[resource]?.[name]]).toEqual([name, 'function']);
});

test('names are chosen for endpoints that are in the route table, and none is left without a method but those of the list', () => {
  const table = routes.map(({ method, path }) => `${method} ${path}`);
  const named = [...Object.keys(SPOKEN_ELSEWHERE), ...Object.keys(CHOSEN)];
  expect(named.filter((each) => !table.includes(each))).toEqual([]);
  const left = routes.filter((row) => !hasMethod(row) && row.status < 300);
  expect(left.map(({ method, path }) => `${method} ${path}`)).toEqual(Object.keys(SPOKEN_ELSEWHERE));
});

test('no type is called as something of the library itself, and no two types are called the same', () => {
  const names = [...readSchemaNames().values()];
  expect(new Set(names).size).toBe(names.length);
  const own: string[] = readFileSync(join(ROOT, 'client/src/index.ts'), 'utf8').match(/\b[A-Z]\w*/g) ?? [];
  expect(own).toContain('RequestOptions');
  expect(names.filter((name) => own.includes(name))).toEqual([]);
});

test('the generated sources are those of the route table and its schemas as they are now', () => {
  const stale = Object.entries(sourcesOf(routes, readSchemaNames()))
    .filter(([name, text]) => readFileSync(join(ROOT, 'client/src/generated', name), 'utf8') !== text)
    .map(([name]) => `client/src/generated/${name} is stale: ${REMEDY}`);
  expect(stale).toEqual([]);
});

test('a changed schema makes them stale, and a new endpoint brings a method', () => {
  const names = readSchemaNames();
  const row = {
    method: 'GET',
    path: '/v1/parcels',
    access: { scope: 'channels:read' },
    consumes: 'none',
    params: {},
    answers: { 200: pageOf(z.strictObject({ weight: z.number().describe('In grams.') })) },
    status: 200,
    errors: [],
  } as const;
  const before = sourcesOf(routes, names);
  const after = sourcesOf([...routes, row], names);
  expect(after['resources.ts']).not.toBe(before['resources.ts']);
  expect(after['resources.ts']).toContain(
    'list(options?: RequestOptions): Pages<{\n      /** In grams. */\n      readonly weight: number;',
  );
  expect(after['endpoints.ts']).toContain("list: { method: 'GET', path: '/v1/parcels', kind: 'page' }");
  expect(() => sourcesOf([...routes, row, row], names)).toThrow('Two endpoints are parcels.list');
  const redirect = { ...row, answers: { 303: noBody }, status: 303 };
  // `as`: this route table has no redirect yet.
  expect(sourcesOf([...routes, redirect as unknown as Row], names)).toEqual(before);
});

test.each([
  ['GET', '/v1/parcels', true, 'parcels.list'],
  ['POST', '/v1/parcels', false, 'parcels.create'],
  ['GET', '/v1/parcels/:parcelId', false, 'parcels.get'],
  ['PATCH', '/v1/parcels/:parcelId', false, 'parcels.update'],
  ['DELETE', '/v1/parcels/:parcelId/stamps/:stampId', false, 'parcels.deleteStamp'],
  ['GET', '/v1/parcels/:parcelId/stamps', true, 'parcels.listStamps'],
  ['POST', '/v1/parcels/:parcelId/stamps', false, 'parcels.createStamp'],
  ['POST', '/v1/parcels/options', false, 'parcels.options'],
  ['POST', '/v1/parcels/:parcelId/send-back', false, 'parcels.sendBack'],
  ['GET', '/v1/post-offices/:officeId/address', false, 'postOffices.getAddress'],
] as const)('%s %s is by the rule named as one would call it', (method, path, isList, name) => {
  const place = methodNameOf({ method, path, isList });
  expect(`${place.resource}.${place.method}`).toBe(name);
});

test('the library knows every error code of the service and of the page about them, and no other', () => {
  expect(ERROR_CODES).toEqual(Object.keys(STATUS_OF_CODE));
  const page = tableRowsOf('docs/errors.md').map(([code = '']) => code.replaceAll('`', ''));
  expect(ERROR_CODES.filter((code) => !page.includes(code))).toEqual([]);
});
