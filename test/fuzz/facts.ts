import { exampleId } from '../../src/api/openapi/examples.ts';
import { routes } from '../../src/process/routes.ts';
import { setUp, actIn, joinAs, OWNER, signIn } from '../support/make/people.ts';
import type { Browser } from '../support/world/browser.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { make, seedResources } from '../support/make/seed.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';
import { BEGINNING, openStream } from '../support/world/stream-reader.ts';

/** Knowledge of hooks.py about the service: who asks, and what there is. */
export type Facts = {
  key: string;
  cookieName: string;
  cookie: string;
  /** Headers that say where the person acts. */
  names: Record<string, string>;
  /** Things by the names of parameters and fields; further ones than the first may be deleted. */
  ids: Record<string, string[]>;
  /** Things by which it asks itself: a call that changed or removed one would end all later ones. */
  own: string[];
  /** Values of fields that no made-up text can have. */
  texts: Record<string, string>;
  /** Fields of operations whose rules JSON Schema cannot say, with values that keep them. Null leaves a field out. */
  given: Record<string, Record<string, unknown>>;
  /** An inbound webhook whose senders show its secret in a header. */
  inbound: { webhookId: string; headers: Record<string, string> };
  /** A position in the stream of the first channel. */
  position: string;
  /** The end of every id that the document shows. */
  exampleId: string;
  /** Operations whose calls are counted by address. */
  ownAddress: string[];
};

const SPARES = 5;
const SECRET = 'a secret that both sides know';
const SECRET_HEADER = 'X-Shared-Secret';
const DAY_MS = 86_400_000;
const COOKIE = 'posthorn-session';

/** Makes a person, and several things of every kind. */
export async function factsOf(posthorn: TestPosthorn): Promise<Facts> {
  const { browser, me } = await setUp(posthorn);
  actIn(browser, me);
  const ids: Record<string, string[]> = {};
  const add = (name: string, id: string): void => {
    ids[name] = [...(ids[name] ?? []), id];
  };
  const first = await ownThings(posthorn, browser, me);
  for (let index = 0; index <= SPARES; index += 1)
    for (const [name, id] of Object.entries(await seedResources(posthorn, posthorn.keys.live))) {
      add(name, id);
      if (name === 'bulkReplayId') add('replayId', id);
    }
  // There is one of each, and nothing deletes them. The app is another one than that of the key, which a call may suspend.
  const [organisationId = ''] = ids['organisationId'] ?? [];
  ids['organisationId'] = [organisationId];
  const other = await browser.request<{ id: string }>('POST', '/v1/apps', { name: 'Second shop' });
  ids['appId'] = [other.body.id];
  for (let index = 0; index <= SPARES; index += 1) await signIn(posthorn, OWNER);
  for (const { id } of (await sessionsOf(browser)).filter(({ isCurrent }) => !isCurrent)) add('sessionId', id);
  const organisation = `/v1/organisations/${organisationId}`;
  for (let index = 0; index <= 1; index += 1) {
    const joined = await joinAs(posthorn, browser, organisation, {
      role: 'viewer',
      email: `member${index}@example.com`,
    });
    add('userId', joined.me.user.id);
    const invited = await browser.request<{ id: string }>('POST', `${organisation}/invitations`, {
      email: `guest${index}@example.com`,
      role: 'viewer',
    });
    add('invitationId', invited.body.id);
  }
  const [channelId = ''] = ids['channelId'] ?? [];
  // A channel that no call archives.
  const till = await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'till' });
  const { id: webhookId } = await make(posthorn, posthorn.keys.live, '/v1/webhooks', {
    name: 'Till',
    channelId: till.id,
    scheme: 'token',
    secrets: [SECRET],
    signature: { header: SECRET_HEADER },
    eventType: { literal: 'order.created' },
  });
  return {
    given: givenFields(channelId),
    inbound: { webhookId, headers: { [SECRET_HEADER]: SECRET } },
    position: await positionIn(posthorn, channelId),
    key: posthorn.keys.live,
    cookieName: COOKIE,
    cookie: browser.jar.get(COOKIE) ?? '',
    names: { 'Posthorn-Organisation': organisationId },
    ids,
    own: [...first, till.id, webhookId],
    texts: {
      webhookUrl: 'https://example.com/in',
      filter: 'payload.n > 1',
      secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      password: OWNER.password,
      newPassword: OWNER.password,
      expiresAt: '2099-01-01T00:00:00Z',
      deliverAt: new Date(Date.now() + DAY_MS).toISOString(),
      returnTo: '/messages',
      grant_type: 'client_credentials',
    },
    exampleId: exampleId('channel').slice(4),
    ownAddress: routes
      .filter(({ addressLimit }) => addressLimit !== undefined)
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
  };
}

function givenFields(channelId: string): Facts['given'] {
  const definition = {
    trigger: { type: 'event', config: { channelId, eventTypes: ['order.created'] } },
    steps: [
      { id: 'large', type: 'filter', config: { expression: 'event.payload.total > 100' }, next: 'note' },
      { id: 'note', type: 'action', config: { action: 'log', text: 'Order {{ event.payload.id }}' } },
    ],
  };
  const at = 'http://127.0.0.1:9999';
  const addresses = { baseUrl: at, authorizationUrl: `${at}/auth`, tokenUrl: `${at}/token` };
  const mapping = {
    eventId: { pointer: '/id' },
    eventType: { literal: 'order.created' },
    payload: { pointer: '/data' },
  };
  return {
    'POST /v1/workflows': definition,
    // A draft cannot be paused.
    'PATCH /v1/workflows/{workflowId}': { ...definition, status: 'active' },
    'POST /v1/workflows/validate': { ...definition, id: null },
    'POST /v1/workflows/{workflowId}/test': { mocks: {} },
    'POST /v1/markers': { at: new Date(Date.now() - DAY_MS).toISOString() },
    'POST /v1/connections': { connectorId: 'slack', credentials: { token: 'xoxb-1' } },
    'PATCH /v1/connections/{connectionId}': {
      credentials: { ...addresses, clientId: 'posthorn', clientSecret: SECRET },
    },
    'POST /v1/webhooks': { ...mapping, provider: 'github', scheme: null, signature: null, secrets: [SECRET] },
    'PATCH /v1/webhooks/{webhookId}': { ...mapping, signature: null },
  };
}

async function positionIn({ url, keys }: TestPosthorn, channelId: string): Promise<string> {
  const stream = await openStream({ url: `${url}/v1/channels/${channelId}/stream?${BEGINNING}`, key: keys.live });
  const [first] = await stream.waitForEvents(1);
  stream.close();
  return first?.id ?? '';
}

type Session = { id: string; isCurrent: boolean };

async function sessionsOf(browser: Browser): Promise<Session[]> {
  const { body } = await browser.request<{ data: Session[] }>('GET', '/v1/sessions?limit=100');
  return body.data;
}

/** Ids of the keys, the session, the person and the app that ask, before anything else is made. */
async function ownThings(
  posthorn: TestPosthorn,
  browser: Browser,
  { user, organisations }: SignedIn,
): Promise<string[]> {
  const keys = await posthorn.deps.db.apiKey.findMany({ select: { id: true } });
  const sessions = await sessionsOf(browser);
  const apps = organisations.flatMap((organisation) => organisation.apps);
  return [user, ...keys, ...sessions, ...apps].map(({ id }) => id);
}
