import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { WORDS } from '../../../../test/support/make/row-words.ts';
import { idOf, noBody } from '../answers/answer-fields.ts';
import { bindRoutes, routesOf } from './route.ts';

type Services = { things: { find(id: string): Promise<{ id: string }> } };
const route = routesOf<Services>();
const access = { scope: 'channels:read' } as const;
const thing = z.strictObject({ id: z.string() });
const params = { channelId: idOf('channel') };
const ONE = {
  ...WORDS,
  method: 'GET',
  path: '/v1/channels/:channelId',
  params,
  access,
  answers: { 200: thing },
} as const;
const MAKE = { ...WORDS, method: 'POST', path: '/v1/channels', access, answers: { 200: thing } } as const;

test('a row has the status of its response, and by default no body and no error codes of its own', () => {
  const row = route({ ...ONE, handle: ({ params: { channelId } }, { things }) => things.find(channelId) });
  expect(row).toMatchObject({ status: 200, consumes: 'none', errors: [], params });
  expect(route({ ...MAKE, answers: { 204: noBody }, errors: ['CONFLICT'], handle: async () => {} })).toMatchObject({
    status: 204,
    params: {},
    errors: ['CONFLICT'],
  });
});

test('a bound route calls its own services', async () => {
  const row = route({ ...ONE, handle: ({ params: { channelId } }, { things }) => things.find(channelId) });
  const [bound] = bindRoutes([row], { things: { find: (id) => Promise.resolve({ id }) } });
  const request = { caller: undefined, params: { channelId: 'one' }, body: undefined, query: undefined };
  const edge = {
    header: () => undefined,
    head: () => ({ method: 'GET', target: '/', path: '/', header: () => [], rawHeaders: [], address: '' }),
    address: () => '127.0.0.1',
    countAgainst: async () => undefined,
    setNonce: () => undefined,
    visit: () => ({ address: '', host: '', cookie: [] }),
    setLocation: () => undefined,
    setCookie: () => undefined,
  };
  const answer = bound?.handle({ ...request, ...edge, bodyText: '', bytes: Buffer.alloc(0) });
  expect(await answer).toEqual({ id: 'one' });
});

test('the table does not load if a route ends sooner than promised', () => {
  const deprecation = { since: '2027-01-01', endsAt: '2027-01-02' };
  expect(() => route({ ...MAKE, deprecation, handle: async () => ({ id: 'a' }) })).toThrow('at least 180 days');
});

// Checked by `npm run types`: a line that were right would be an error of its own.
test('the types of a row reject what its schemas, its path and its access do not declare', () => {
  const found = async () => ({ id: 'a' });
  const rows = [
    // @ts-expect-error: an answer of another form.
    () => route({ ...ONE, handle: async () => ({ name: 'a' }) }),
    // @ts-expect-error: an answer where there is no body.
    () => route({ ...MAKE, answers: { 204: noBody }, handle: found }),
    // @ts-expect-error: a parameter that the path does not name.
    () => route({ ...ONE, handle: ({ params: { messageId } }, { things }) => things.find(messageId) }),
    // @ts-expect-error: no form for the parameter that the path names.
    () => route({ ...ONE, params: {}, handle: found }),
    // @ts-expect-error: a body without saying how it is read.
    () => route({ ...MAKE, body: thing, handle: found }),
    // @ts-expect-error: JSON without a schema.
    () => route({ ...MAKE, consumes: 'json', handle: found }),
    // @ts-expect-error: a schema for bytes that nothing parses.
    () => route({ ...MAKE, consumes: { raw: ['text/csv'] }, body: thing, handle: found }),
    // @ts-expect-error: no access.
    () => route({ ...WORDS, method: 'GET', path: '/v1/channels', answers: { 200: thing }, handle: found }),
    // @ts-expect-error: a scope that there is not.
    () => route({ ...MAKE, access: { scope: 'channels:admin' }, handle: found }),
    // @ts-expect-error: a public route has no caller.
    () => route({ ...MAKE, access: 'public', handle: async ({ caller }) => ({ id: caller.principal.id }) }),
    // @ts-expect-error: a session need not belong to an environment.
    () => route({ ...MAKE, access: 'session', handle: async ({ caller }) => ({ id: caller.environmentId }) }),
    // @ts-expect-error: a service that these services do not have.
    () => route({ ...MAKE, handle: (_, { others }) => others.find('a') }),
  ];
  for (const make of rows) expect(make()).toHaveProperty('status');
  const session = route({ ...MAKE, access: 'session', handle: async ({ caller }) => ({ id: caller.principal.id }) });
  expect(session.access).toBe('session');
});
