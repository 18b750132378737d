import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createChanges } from '../../src/insight/changes/service.ts';
import { type Change, type ChangeStream, Posthorn } from '../../client/src/index.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let receiver: Receiver;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
  receiver = await receivers.start();
});
afterAll(async () => {
  await receivers.end();
  await posthorn.stop();
});

type Followed = { changes: Change[]; stream: ChangeStream; failure: () => unknown; end: () => Promise<void> };
const open = new Set<Followed>();
afterEach(async () => {
  for (const each of open) await each.end();
  open.clear();
});

/** Reads the stream until it is ended. Resolves when it has begun to notice. */
async function follow(apiKey = posthorn.keys.live, lastEventId?: string): Promise<Followed> {
  const client = new Posthorn({ baseUrl: posthorn.url, credentials: { apiKey } });
  const ending = new AbortController();
  const stream = client.changes.follow({ signal: ending.signal, ...(lastEventId !== undefined && { lastEventId }) });
  const changes: Change[] = [];
  let failure: unknown;
  const read = (async () => {
    for await (const { change } of stream) changes.push(change);
  })().catch((error: unknown) => {
    failure = error;
  });
  const followed = {
    changes,
    stream,
    failure: () => failure,
    end: async () => {
      ending.abort();
      await read;
    },
  };
  open.add(followed);
  if (lastEventId === undefined)
    await waitFor('the stream to begin', () => changes.length > 0 || failure !== undefined);
  return followed;
}
const isTold = ({ changes }: Followed, kind: Change['kind'], id: string, status?: string): boolean =>
  changes.some(
    (change) =>
      change.kind === kind &&
      change.changed.some((each) => each.id === id && (status === undefined || each.status === status)),
  );
const kindsIn = ({ changes }: Followed): string[] => [...new Set(changes.map(({ kind }) => kind))].toSorted();

test('a stream starts with the advice to reload everything, and then reports changes', async () => {
  const followed = await follow();
  expect(followed.changes[0]).toEqual({ kind: 'everything', changed: [], isComplete: false });
  const { id: channelId } = await createChannel(posthorn);
  await waitFor('the channel', () => isTold(followed, 'channel', channelId));
  const { id: subscriptionId } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const { id: messageId } = await publish(posthorn, channelId);
  await waitFor('the message', () => isTold(followed, 'message', messageId));
  const deliveryOf = async (): Promise<string> =>
    (await posthorn.deps.db.delivery.findFirstOrThrow({ where: { messageId, subscriptionId } })).id;
  const deliveryId = await deliveryOf();
  await waitFor('the subscription', () => isTold(followed, 'subscription', subscriptionId));
  await waitFor('the delivery to arrive', () => isTold(followed, 'delivery', deliveryId, 'delivered'));
  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { name: 'renamed' });
  const count = followed.changes.filter(({ kind }) => kind === 'channel').length;
  await waitFor(
    'the change of the channel',
    () => followed.changes.filter(({ kind }) => kind === 'channel').length > count || count > 1,
  );
});

test('a delivery that fails permanently is reported with its dead letter, and the end of the dead letter too', async () => {
  const followed = await follow();
  const { id: channelId } = await createChannel(posthorn);
  receiver.answerWith([(response) => void response.writeHead(503).end()]);
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } });
  const { id: messageId } = await publish(posthorn, channelId);
  await waitFor('the dead letter', () => kindsIn(followed).includes('deadLetter'));
  const letter = await posthorn.deps.db.deadLetter.findFirstOrThrow({ where: { messageId } });
  expect(isTold(followed, 'deadLetter', letter.id, 'open')).toBe(true);
  await waitFor('the delivery', () => isTold(followed, 'delivery', letter.deliveryId ?? '', 'failed'));
  await posthorn.request('DELETE', `/v1/dlq/${letter.id}`);
  await waitFor('its end', () => isTold(followed, 'deadLetter', letter.id, 'discarded'));
  receiver.answerWith([200]);
});

describe('a stream', () => {
  test('reports nothing of another environment, nor of kinds that its caller may not read', async () => {
    const { body } = await posthorn.request<{ key: string }>('POST', '/v1/api-keys', {
      name: 'reader of messages',
      scopes: ['messages:read'],
    });
    const [own, limited, other] = [await follow(), await follow(body.key), await follow(posthorn.keys.test)];
    const { id: channelId } = await createChannel(posthorn);
    const { id: messageId } = await publish(posthorn, channelId);
    await waitFor('both', () => isTold(own, 'channel', channelId) && isTold(limited, 'message', messageId));
    expect(kindsIn(limited)).toEqual(['everything', 'message']);
    // The other environment's own change is told there: its look has been made since.
    const seen = await posthorn.request<{ id: string }>(
      'POST',
      '/v1/channels',
      { name: 'seen' },
      { key: posthorn.keys.test },
    );
    await waitFor('the other environment', () => isTold(other, 'channel', seen.body.id));
    expect(JSON.stringify(other.changes)).not.toContain(messageId);
    expect(JSON.stringify([own.changes, limited.changes])).not.toContain(seen.body.id);
  });

  test('reports nothing to a caller without the right to read messages', async () => {
    const { body } = await posthorn.request<{ key: string }>('POST', '/v1/api-keys', {
      name: 'reader of channels',
      scopes: ['channels:read'],
    });
    expect((await follow(body.key)).failure()).toMatchObject({ code: 'FORBIDDEN' });
  });
});

test('a stream that reconnects after its last event receives what came since, without the advice to reload everything', async () => {
  const [stays, leaves] = [await follow(), await follow()];
  const { id: first } = await createChannel(posthorn);
  await waitFor('the first', () => isTold(leaves, 'channel', first));
  await leaves.end();
  const { id: second } = await createChannel(posthorn);
  await waitFor('the second', () => isTold(stays, 'channel', second));
  const again = await follow(posthorn.keys.live, leaves.stream.lastEventId);
  await waitFor('what came since', () => isTold(again, 'channel', second));
  expect([isTold(again, 'channel', first), kindsIn(again).includes('everything')]).toEqual([false, false]);
  for (const unknown of ['x', `${crypto.randomUUID()}.7`]) {
    const lost = await follow(posthorn.keys.live, unknown);
    await waitFor('the advice', () => lost.changes.length > 0);
    expect(lost.changes[0]?.kind).toBe('everything');
  }
});

test('an empty Last-Event-ID is refused', async () => {
  const headers = { Authorization: `Bearer ${posthorn.keys.live}`, 'Last-Event-ID': '' };
  const response = await fetch(`${posthorn.url}/v1/changes`, { headers });
  expect([response.status, await response.json()]).toEqual([
    400,
    {
      error: expect.objectContaining({
        code: 'INVALID_REQUEST',
        details: { field: 'Last-Event-ID', reason: 'must not be empty' },
      }),
    },
  ]);
});

test('changed rights end the stream, and the next one has the new ones', async () => {
  const made = await posthorn.request<{ id: string; key: string }>('POST', '/v1/api-keys', {
    name: 'more and more',
    scopes: ['messages:read'],
  });
  const followed = await follow(made.body.key);
  await posthorn.request('PATCH', `/v1/api-keys/${made.body.id}`, { scopes: ['messages:read', 'channels:read'] });
  const channels: string[] = [];
  await waitFor('channels to be told of', async () => {
    channels.push((await createChannel(posthorn)).id);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return channels.some((id) => isTold(followed, 'channel', id));
  });
});

test('PostgreSQL is not queried before a stream is open', async () => {
  let asked = 0;
  const changes = createChanges({
    ...posthorn.deps,
    tenants: {
      ...posthorn.deps.tenants,
      list: () => {
        asked += 1;
        return Promise.reject(new Error('not now'));
      },
    },
  });
  const caller = { organisationId: 'org', environmentId: 'env', scopes: new Set(['messages:read']) };
  // `as`: all of a caller that is read.
  const feed = changes.open(caller as never, undefined);
  expect([asked, changes.watching()]).toEqual([0, 0]);
  feed.start({ send: () => undefined, isFull: () => false, end: () => undefined });
  expect(changes.watching()).toBe(1);
  await waitFor('a look', () => asked > 0);
  feed.stop();
  // The environment would be looked at for 15 s more, in case its reader comes again.
  expect(changes.watching()).toBe(1);
  changes.end();
  expect(changes.watching()).toBe(0);
});
