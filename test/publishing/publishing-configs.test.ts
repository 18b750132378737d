import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPublishingConfigs } from '../../src/publishing/configs/channel-configs.ts';
import { loadPublishingConfig, type PublishingConfig } from '../../src/publishing/configs/load-config.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

/** A channel with one filter, and how to ask for its configuration; what was read is given only once `opened` settles. */
async function setUp(opened: Promise<unknown> = Promise.resolve()) {
  const { id: channelId } = await createChannel(posthorn);
  const webhookUrl = 'https://example.com/in';
  const filter = 'payload.n == 0';
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl, filter, eventTypes: ['order.*'] });
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  let reads = 0;
  const configs = createPublishingConfigs(async (...which) => {
    reads += 1;
    const config = await loadPublishingConfig(posthorn.deps.pool, ...which);
    await opened;
    return config;
  });
  return {
    channelId,
    subscriptionId: id,
    reads: () => reads,
    of: async () => configs.of(environmentId, channelId),
    newest: () => configs.newest(environmentId, channelId),
    patch: (body: unknown) => posthorn.request('PATCH', `/v1/subscriptions/${id}`, body),
  };
}

const filtersIn = (config: PublishingConfig | undefined): string[] | undefined =>
  config?.filters.map(({ expression }) => expression);

describe('the configuration of a channel', () => {
  test('has its filters, each once, with the subscriptions that have it', async () => {
    const { subscriptionId, newest } = await setUp();
    const config = await newest();
    const subscriptions = [{ id: subscriptionId, eventTypes: ['order.*'] }];
    expect(config?.filters).toEqual([{ expression: 'payload.n == 0', subscriptions }]);
  });

  test('that has not changed is not read again', async () => {
    const { newest, patch } = await setUp();
    const first = await newest();
    await patch({ name: 'other', headers: { a: 'b' }, filter: 'payload.n == 0' });
    expect(await newest()).toBe(first);
    await patch({ filter: 'payload.n == 1' });
    expect(filtersIn(await newest())).toEqual(['payload.n == 1']);
  });

  test('read by many at once is read once more, and by none too early', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { reads, of, newest, patch } = await setUp(opened);
    const early = [of(), of(), newest()];
    await patch({ filter: 'payload.n == 1' });
    const late = Array.from({ length: 50 }, newest);
    open();
    await Promise.all(early);
    expect((await Promise.all(late)).map(filtersIn)).toEqual(Array.from(late, () => ['payload.n == 1']));
    expect(reads()).toBe(2);
  });

  test.each([
    ['a filter', { filter: 'true' }, true],
    ['no filter any more', { filter: null }, true],
    ['other event types beside its filter', { eventTypes: [] }, true],
    ['the filter that it has', { filter: 'payload.n == 0' }, false],
    ['another name', { name: 'other' }, false],
  ])('is another one when a subscription gets %s: %j %j', async (_, body, isChanged) => {
    const { newest, patch } = await setUp();
    const before = await newest();
    expect((await patch(body)).status).toBe(200);
    expect((await newest())?.version !== before?.version).toBe(isChanged);
  });

  test('has the workflows and waits that concern its messages, and none of other channels', async () => {
    const { channelId, newest } = await setUp();
    const { id: otherId } = await createChannel(posthorn);
    const begin = async (config: object, waits: object): Promise<string> => {
      const steps = [{ id: 'wait', type: 'wait_for_event', config: { ...waits, timeout: '1h' } }];
      const trigger = { type: 'event', config };
      const made = { name: 'test', status: 'active', trigger, steps };
      const { status, body } = await posthorn.request('POST', '/v1/workflows', made);
      expect(status).toBe(201);
      return (body as { id: string }).id;
    };
    const own = await begin({ channelId }, { channelId, eventType: 'own' });
    const ofBoth = await begin({ channelIds: [otherId, channelId] }, { channelIds: [otherId, channelId] });
    // Only its filter has the words by which a trigger names channels.
    const filter = `payload.text == '"channelId": "${otherId}"'`;
    const ofAll = await begin({ eventType: 'order.paid', filter }, { eventType: 'all' });
    await begin({ channelId: otherId }, { channelId: otherId, eventType: 'other' });
    const config = await newest();
    expect(config?.triggers.map(({ workflowId }) => workflowId).toSorted()).toEqual([own, ofBoth, ofAll].toSorted());
    const named = { channelIds: [channelId], eventTypes: ['own'] };
    const both = { channelIds: [otherId, channelId], eventTypes: [] };
    const all = { channelIds: [], eventTypes: ['all'] };
    expect(config?.listens).toHaveLength(3);
    expect(config?.listens).toEqual(expect.arrayContaining([named, both, all]));
  });
});
