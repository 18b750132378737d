import { withIds } from '../support/make/example-bodies.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { documentOf } from '../../src/api/openapi/document.ts';
import { ANSWERS } from '../../src/api/openapi/generated/answers.ts';
import { EXAMPLE_TIME, exampleId } from '../../src/api/openapi/examples.ts';
import type { IdKind } from '../../src/kernel/values/ids.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { routes } from '../../src/process/routes.ts';
import { answerProblems, operationsOf } from '../support/check/document.ts';
import { formOf, isToBeKept, shownAnswer, sourceOf, withListed } from '../support/make/answer-examples.ts';
import { addPasskey } from '../support/make/factors.ts';
import { actIn, joinAs, OWNER, setUp, signIn } from '../support/make/people.ts';
import { seedResources } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

/*
 * Every example of the document is sent as it stands there. Only ids are others: those of things that have been made for it. Each request
 * gets the status that the document says, and an answer that fits the document.
 */

const ANSWERS_FILE = join(import.meta.dirname, '../../src/api/openapi/generated/answers.ts');
const REMEDY =
  'RECORD_EXAMPLES=true npm test -- test/openapi/examples.whole.test.ts, and commit src/api/openapi/generated';
const recorded: Record<string, unknown> = {};
let posthorn: TestPosthorn;
let document: ReturnType<typeof documentOf>;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  document = documentOf(routes, { publicBaseUrl: posthorn.deps.config.publicBaseUrl });
});
afterAll(() => posthorn.stop());

type Ids = Partial<Record<IdKind | 'scheduledMessage', string>>;
type Caller = { ids: Ids; headers: Record<string, string> };

let readable: ReturnType<typeof seedResources> | undefined;

/** Things of every kind: the same for all reads, and new ones for each example that changes something, so that none spoils the next. */
async function asKey(mentioned: string, isRead: boolean): Promise<Caller> {
  // Public routes and lists name nothing.
  const isNaming = mentioned.includes(':') || mentioned.includes(exampleId('channel').slice(4));
  const seed = () => seedResources(posthorn, posthorn.keys.live);
  const made = !isNaming ? {} : await (isRead ? (readable ??= seed()) : seed());
  return { ids: idsOf(made), headers: { authorization: `Bearer ${posthorn.keys.live}` } };
}

const idsOf = (made: Record<string, string>): Ids =>
  Object.fromEntries(Object.entries(made).map(([name, id]) => [name.replace(/Id$/, ''), id]));

let people = 0;
let sessionElsewhere = '';
let first: Awaited<ReturnType<typeof setUp>> | undefined;

/** A person who has an organisation of their own with a member, an invitation, a passkey and a view. */
async function asPerson(mentioned: string): Promise<Caller> {
  if (first === undefined) {
    first = await setUp(posthorn);
    // Before the person has a second factor.
    const elsewhere = await signIn(posthorn, OWNER);
    const { body } = await elsewhere.browser.request<SignedIn>('GET', '/v1/session');
    sessionElsewhere = body.session.id;
  }
  people += 1;
  const { browser, me } = first;
  actIn(browser, me);
  const organisation = me.organisations[0]?.id ?? '';
  const path = `/v1/organisations/${organisation}`;
  const ids: Ids = { organisation, session: sessionElsewhere, app: me.organisations[0]?.apps[0]?.id ?? '' };
  if (mentioned.includes(':userId') || mentioned.includes(exampleId('user'))) {
    const member = await joinAs(posthorn, browser, path, { role: 'viewer', email: `member${people}@example.com` });
    ids.user = member.me.user.id;
  }
  if (mentioned.includes(':invitationId')) {
    const sent = { email: `guest${people}@example.com`, role: 'viewer' };
    const invited = await browser.request<{ id: string }>('POST', `${path}/invitations`, sent);
    ids.invitation = invited.body.id;
  }
  if (mentioned.includes(':passkeyId')) ids.passkey = (await addPasskey(browser)).passkeyId;
  if (mentioned.includes(':viewId')) {
    const view = { name: `View ${people}`, page: 'deliveries', search: { status: 'failed' } };
    ids.view = (await browser.request<{ id: string }>('POST', '/v1/views', view)).body.id;
  }
  return {
    ids,
    headers: {
      'sec-fetch-site': 'same-origin',
      'posthorn-organisation': organisation,
      cookie: [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  };
}

/** Examples whose request ends the session, or changes the owner: each with its own person at the end. */
const LAST = [
  'POST /v1/sessions/revoke-others',
  'POST /v1/organisations/:organisationId/ownership',
  'POST /v1/user/password',
  'DELETE /v1/session',
];
const isOfPerson = ({ security }: { security: Record<string, string[]>[] }): boolean =>
  security.length > 0 && security.every((each) => 'session' in each);

test('every example gets the status that the document says, and an answer that fits it', async () => {
  const problems: string[] = [];
  // Reads come first: an environment keeps so many of some things, and later seeds push out the first ones.
  const placeOf = ({ endpoint, method }: { endpoint: string; method: string }): number =>
    LAST.indexOf(endpoint) * 2 + Number(method !== 'GET');
  const operations = operationsOf(document).toSorted((one, other) => placeOf(one) - placeOf(other));
  for (const operation of operations) {
    const { endpoint, method } = operation;
    const row = routes.find((each) => `${each.method} ${each.path}` === endpoint);
    const example = row?.example ?? {};
    const mentioned = `${row?.path ?? ''} ${JSON.stringify(example)}`;
    const { ids, headers } = isOfPerson(operation)
      ? await asPerson(mentioned)
      : await asKey(mentioned, method === 'GET');
    const path = (row?.path ?? '').replaceAll(
      /:(\w+)Id\b/g,
      (_, kind: string) => ids[kind as IdKind] ?? exampleId(kind as IdKind),
    );
    const query = new URLSearchParams(withIds(example.query ?? {}, (kind) => ids[kind])).toString();
    const response = await fetch(`${posthorn.url}${path}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: {
        ...(operation.security.length > 0 && headers),
        ...(example.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(example.body !== undefined && { body: JSON.stringify(withIds(example.body, (kind) => ids[kind])) }),
      redirect: 'manual',
    });
    const answer = await read(response);
    const wanted = example.status ?? row?.status;
    if (response.status === row?.status && isJson(response)) recorded[endpoint] = shownAnswer(answer.body);
    if (response.status !== wanted)
      problems.push(`${endpoint} answers ${response.status}, not ${wanted}: ${JSON.stringify(answer.body)}`);
    problems.push(
      ...answerProblems(document, operation, answer).map((problem) => `${endpoint} (${response.status}): ${problem}`),
    );
    keepCookies(response);
  }
  if (isToBeKept) writeFileSync(ANSWERS_FILE, sourceOf(withListed(recorded)));
  expect(problems).toEqual([]);
  // 200 examples, half of which make things of every kind first.
}, 600_000);

// People's lists have the same `cursor` and `limit`, and by now the person has ended their session.
test('each parameter of a query is taken as the document shows it, alone and with all others', async () => {
  const problems: string[] = [];
  const { ids, headers } = await asKey(':', false);
  for (const operation of operationsOf(document)) {
    const { endpoint, method, parameters } = operation;
    const shown = parameters.flatMap(({ in: place, name, examples }) =>
      place === 'query' && examples?.request !== undefined ? [[name, String(examples.request.value)] as const] : [],
    );
    const row = routes.find((each) => `${each.method} ${each.path}` === endpoint);
    if (row === undefined || method !== 'GET' || shown.length === 0) continue;
    if (row.isOthers === true || isOfPerson(operation)) continue;
    const path = row.path.replaceAll(
      /:(\w+)Id\b/g,
      (_, kind: string) => ids[kind as IdKind] ?? exampleId(kind as IdKind),
    );
    for (const query of [shown, ...shown.map((each) => [each])]) {
      const search = new URLSearchParams(withIds(Object.fromEntries(query), (kind) => ids[kind])).toString();
      const response = await fetch(`${posthorn.url}${path}?${search}`, { method, headers, redirect: 'manual' });
      if (response.status === row.status) await response.body?.cancel();
      else problems.push(`${endpoint}?${search} answers ${response.status}: ${await response.text()}`);
    }
  }
  expect(problems).toEqual([]);
}, 600_000);

test('the answers that the document shows have the form of those that were got', () => {
  const [shown, got] = [ANSWERS, withListed(recorded)].map((answers) =>
    Object.entries(answers).map(([endpoint, answer]) => [endpoint, JSON.stringify(formOf(answer))] as const),
  );
  const known = new Map(shown);
  const stale = (got ?? []).filter(([endpoint, form]) => !isToBeKept && known.get(endpoint) !== form);
  expect(stale.map(([endpoint]) => `${endpoint} is stale: ${REMEDY}`)).toEqual([]);
  expect(Object.keys(ANSWERS).filter((endpoint) => !isToBeKept && recorded[endpoint] === undefined)).toEqual([]);
});

test('a field that an answer has no longer, or has anew, makes it stale', () => {
  const answer = { id: 'chn_1', data: [{ n: 1 }] };
  const forms = [
    answer,
    { ...answer, id: 1 },
    { ...answer, name: '' },
    { id: 'chn_2', data: [{ n: 2 }, { n: 3 }] },
  ].map((each) => JSON.stringify(formOf(each)));
  expect(forms.map((form) => form === forms[0])).toEqual([true, false, false, true]);
});

test('no answer that is shown holds a secret, an id or a time of a real one', () => {
  const given = {
    key: 'svc_live_5nAT6yiTnIlcVDaPYRs0BXoyjbNbUYnS1kyaF8u0Bjj',
    id: `chn_${'7'.repeat(26)}`,
    at: '2025-02-03T04:05:06.789Z',
  };
  expect(shownAnswer(given)).toEqual({
    key: `svc_live_${'example0'.repeat(5)}exa`.slice(0, given.key.length),
    id: exampleId('channel'),
    at: EXAMPLE_TIME,
  });
});

test('the password of the examples is that of the person who is made for them', () => {
  const row = routes.find(({ operationId }) => operationId === 'session.authenticate');
  expect(row?.example?.body).toEqual({ password: OWNER.password });
});

/** A session has another secret after its person has proven something. */
function keepCookies(response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [pair = ''] = line.split(';');
    const [name = '', value = ''] = pair.split('=');
    if (value !== '') first?.browser.jar.set(name, value);
  }
}

const isJson = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('application/json') === true;

async function read(response: Response): Promise<{ status: number; headers: Headers; body: unknown }> {
  const { status, headers } = response;
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
    await response.body?.cancel();
    return { status, headers, body: '' };
  }
  const text = await response.text();
  return { status, headers, body: text === '' ? undefined : isJson(response) ? (JSON.parse(text) as unknown) : text };
}
