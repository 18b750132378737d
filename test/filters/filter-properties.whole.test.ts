import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFilters, type Filters } from '../../src/messaging/filters/filters.ts';
import type { DryRun } from '../../src/messaging/publishing/schema.ts';
import { wantsEventType } from '../../src/kernel/words/event-types.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
/** Shares nothing with the service but its code: what it says of one expression and one message is what must be done. */
let filters: Filters;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  filters = createFilters();
});
afterAll(() => posthorn.stop());

const EVENT_TYPES = ['order.created', 'order.paid', 'refund.made'] as const;
const name = fc.constantFrom('a', 'b', 'toString', 'constructor');
const scalar = fc.oneof(
  fc.integer({ min: -1, max: 3 }),
  fc.constantFrom(0.5, 2 ** 53),
  fc.constantFrom('', 'x', '2'),
  fc.boolean(),
  fc.constant(null),
);
const payload = fc.dictionary(name, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), { maxKeys: 3 });
const message = fc.record(
  {
    eventType: fc.constantFrom(...EVENT_TYPES),
    payload,
    metadata: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('', 'x'), { maxKeys: 2 }),
  },
  { requiredKeys: ['eventType', 'payload'] },
);
const FILTERS = [
  'true',
  'payload.a > 1',
  'payload.a == payload.b',
  'has(payload.a) && payload.a != 2',
  '"a" in payload',
  'metadata.a == "x" || payload.b',
  'eventType.endsWith("d")',
  'size(payload) > 1',
  'payload.a.exists(x, x == 1)',
  'payload.?b.orValue(3) == 3',
] as const;
const subscription = fc.record({
  eventTypes: fc.constantFrom<string[]>([], ['order.*'], ['refund.made', 'order.paid']),
  filter: fc.option(fc.constantFrom(...FILTERS), { nil: null, freq: 4 }),
});

test('who gets a message is who wants its event type and whose filter says so, and just that a dry run tells before', async () => {
  const seen = { received: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(subscription, { minLength: 1, maxLength: 4 }),
      fc.array(message, { minLength: 1, maxLength: 4 }),
      async (subscriptions, messages) => {
        const { id: channelId } = await createChannel(posthorn);
        const ids: string[] = [];
        for (const fields of subscriptions)
          ids.push(
            (await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/', ...fields })).id,
          );
        const expected: string[][] = [];
        for (const { eventType, payload: sent, metadata } of messages) {
          const input = { key: channelId, eventType, payload: JSON.stringify(sent), metadata };
          const receivers: string[] = [];
          for (const [index, { eventTypes, filter }] of subscriptions.entries()) {
            const [verdict] = filter === null ? [{ matches: true }] : await filters.evaluate([filter], input);
            const isWanted = wantsEventType(eventTypes, eventType) && verdict?.matches === true;
            if (isWanted) receivers.push(ids[index] ?? '');
            seen[isWanted ? 'received' : 'refused'] += 1;
          }
          expected.push(receivers);
        }

        const told: string[][] = [];
        for (const sample of messages) {
          const { body } = await posthorn.request<DryRun>('POST', `/v1/channels/${channelId}/dry-run`, sample);
          const receivers = body.data.filter(({ wouldReceive }) => wouldReceive);
          told.push(receivers.map(({ subscriptionId }) => subscriptionId).toReversed());
        }
        expect(told).toEqual(expected);

        const path = `/v1/channels/${channelId}/messages/batch`;
        const published = await posthorn.request<{ ids: string[] }>('POST', path, { messages });
        const rows = await posthorn.deps.db.delivery.findMany({ where: { channelId } });
        const routed = published.body.ids.map((messageId) =>
          ids.filter((id) => rows.some((row) => row.messageId === messageId && row.subscriptionId === id)),
        );
        expect(routed).toEqual(expected);
        expect(rows).toHaveLength(expected.flat().length);
      },
    ),
    { numRuns: 100 },
  );
  // Neither answer may be the only one that was looked at.
  expect(Math.min(seen.received, seen.refused)).toBeGreaterThan(50);
  // A hundred runs with a dozen requests each: 15 s, and two minutes and more on a machine that does fifteen other things.
}, 600_000);
