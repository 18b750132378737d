import { createTarget } from './fixture.ts';
import type { IsolationContext } from './isolation.ts';
import type { Load } from './load-process.ts';
import { type LoadShape, PAYLOAD_BYTES } from './measure.ts';
import type { Rig } from './rig.ts';
import { formatTable, show, showSpread, spreadOf } from './statistics.ts';

/** Ways of publishing, the plain one first; the others are measured against it. */
const WAYS = ['plain', 'schema', 'filter', 'key', 'id'] as const;
type Way = (typeof WAYS)[number];

/** Publishes accepted in a second, run by run. */
export type PublishingCost = Record<Way, number[]>;

const LOAD: LoadShape = { count: 5_000, concurrency: 32 };
/** Time of a publish over that of a plain one; no target where none was set. */
const RATIO_AT_MOST: Partial<Record<Way, number>> = { schema: 1.3, filter: 1.3 };
const LABELS: Record<Way, string> = {
  plain: 'plain',
  schema: 'with a schema',
  filter: 'with a filter',
  key: 'with an Idempotency-Key',
  id: "with the publisher's id",
};
// A schema as a careful publisher writes it for the load's payload of 1 KiB, with members that the payload lacks.
const SCHEMA = {
  type: 'object',
  required: ['number', 'text'],
  properties: {
    number: { type: 'integer', minimum: 0 },
    text: { type: 'string', minLength: 1, maxLength: 10_000 },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    status: { enum: ['open', 'paid', 'sent', 'returned'] },
    lines: {
      type: 'array',
      maxItems: 100,
      items: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' }, count: { type: 'integer' } } },
    },
  },
  additionalProperties: false,
};

// A filter of a subscription that gets none of the load, so that no delivery is stored.
const FILTER = 'payload.number < 0 && metadata.region == "eu"';
const WHERE_NOBODY_IS = 'http://127.0.0.1:9/';

/** By turns, so that other load of the machine meets all. Nothing is delivered: only publishing is measured. */
export async function measurePublishing(
  rig: Rig,
  { service, key, pool, newId }: IsolationContext,
  { runs, onProgress }: { runs: number; onProgress: (line: string) => void },
): Promise<PublishingCost> {
  const cost: PublishingCost = { plain: [], schema: [], filter: [], key: [], id: [] };
  const publish = async (way: Way): Promise<number> => {
    const urls = way === 'filter' ? [WHERE_NOBODY_IS] : [];
    const { channelId } = await createTarget({ pool, keyRing: rig.keyRing, newId }, urls);
    // Before anything is published to it, so that no process knows another configuration of it.
    if (way === 'schema')
      await pool.query('UPDATE channels SET schema = $2 WHERE id = $1', [channelId, JSON.stringify(SCHEMA)]);
    if (way === 'filter')
      await pool.query('UPDATE subscriptions SET filter = $2 WHERE channel_id = $1', [channelId, FILTER]);
    const known: Partial<Load> = way === 'key' || way === 'id' ? { knownBy: way } : {};
    const published = await rig.load.ask('publish', {
      ...LOAD,
      ...known,
      url: service.url,
      key,
      channelId,
      payloadBytes: PAYLOAD_BYTES,
    });
    if (published.ids.length !== LOAD.count) throw new Error(`Not everything was published: ${published.example}`);
    return (LOAD.count * 1_000) / (published.endedAt - published.startedAt);
  };
  for (let run = 1; run <= runs; run += 1) {
    onProgress(`publishing, run ${run} of ${runs}`);
    for (const way of WAYS) cost[way].push(await publish(way));
  }
  return cost;
}

export function publishingTable(results: readonly PublishingCost[]): string {
  return formatTable(
    ['publishing', 'accepted/s', 'time over plain', 'target', ''],
    results.flatMap((cost) => {
      const plain = spreadOf(cost.plain).median;
      return WAYS.map((way) => {
        const spread = spreadOf(cost[way]);
        const ratio = plain / spread.median;
        const target = RATIO_AT_MOST[way];
        const verdict = target === undefined ? '' : ratio <= target ? 'reached' : 'MISSED';
        return [LABELS[way], showSpread(spread), show(ratio), target === undefined ? '' : `≤ ${target}`, verdict];
      });
    }),
    1,
  );
}
