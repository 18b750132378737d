import { createTarget } from './fixture.ts';
import type { IsolationContext } from './isolation.ts';
import { type LoadShape, PAYLOAD_BYTES } from './measure.ts';
import type { Rig } from './rig.ts';
import { formatTable, show, showSpread, spreadOf } from './statistics.ts';

/** Publishes accepted in a second, run by run. */
export type SchemaCost = { without: number[]; withSchema: number[] };

const LOAD: LoadShape = { count: 5_000, concurrency: 32 };
/** Time of a publish with a schema over that of one without. */
const RATIO_AT_MOST = 1.3;
// What a careful publisher writes for the load's payload of 1 KiB; the members that are not there are what else such a schema names.
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

/** By turns, so that what else happens on the machine meets both. No subscriptions: this is about publishing alone. */
export async function measureSchemas(
  rig: Rig,
  { service, key, pool, newId }: IsolationContext,
  { runs, onProgress }: { runs: number; onProgress: (line: string) => void },
): Promise<SchemaCost> {
  const cost: SchemaCost = { without: [], withSchema: [] };
  const publish = async (schema: object | undefined): Promise<number> => {
    const { channelId } = await createTarget({ pool, keyRing: rig.keyRing, newId }, []);
    if (schema !== undefined)
      await pool.query('UPDATE channels SET schema = $2 WHERE id = $1', [channelId, JSON.stringify(schema)]);
    const published = await rig.load.ask('publish', {
      ...LOAD,
      url: service.url,
      key,
      channelId,
      payloadBytes: PAYLOAD_BYTES,
    });
    if (published.ids.length !== LOAD.count) throw new Error(`Not everything was published: ${published.example}`);
    return (LOAD.count * 1_000) / (published.endedAt - published.startedAt);
  };
  for (let run = 1; run <= runs; run += 1) {
    onProgress(`schemas, run ${run} of ${runs}`);
    cost.without.push(await publish(undefined));
    cost.withSchema.push(await publish(SCHEMA));
  }
  return cost;
}

export function schemaTable(results: readonly SchemaCost[]): string {
  return formatTable(
    ['schemas', 'accepted/s without', 'with a schema', 'time ratio', 'target', ''],
    results.map(({ without, withSchema }) => {
      const [plain, checked] = [spreadOf(without), spreadOf(withSchema)];
      const ratio = plain.median / checked.median;
      const verdict = ratio <= RATIO_AT_MOST ? 'reached' : 'MISSED';
      return ['publishing', showSpread(plain), showSpread(checked), show(ratio), `≤ ${RATIO_AT_MOST}`, verdict];
    }),
    1,
  );
}
