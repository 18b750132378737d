import type { Pool } from 'pg';
import { pino } from 'pino';
import { retentionLimits } from '../src/kernel/rules/resource-bounds.ts';
import {
  expiredChannels,
  type Removal,
  type RemovedBatch,
  removeBatch,
  removeDeletedChannels,
  removeDeletedSubscriptions,
} from '../src/delivery/retention/retention-store.ts';

/** Every batch of one pass, at full speed, as if it were `now`. `ms` of each batch. */
export async function pass(
  pool: Pool,
  now = new Date(),
): Promise<{ ms: number[]; messages: number; rows: number; kept: number }> {
  const limits = retentionLimits(now);
  const done = { ms: [] as number[], messages: 0, rows: 0, kept: 0 };
  let isLast = false;
  for (let position = ''; !isLast; ) {
    const page = await expiredChannels(pool, { after: position, limits });
    let left: Removal | undefined = page.channels.length > 0 ? { channels: page.channels, after: '' } : undefined;
    while (left !== undefined) {
      const from = performance.now();
      const batch: RemovedBatch = await removeBatch(pool, left);
      done.ms.push(performance.now() - from);
      done.messages += batch.messages;
      done.rows += batch.messages + batch.deliveries + batch.attempts + batch.deadLetters;
      done.kept += batch.kept;
      ({ left } = batch);
    }
    position = page.channels.at(-1)?.id ?? position;
    ({ isLast } = page);
  }
  await removeDeletedSubscriptions(pool, now);
  await removeDeletedChannels(pool, now, pino({ level: 'silent' }));
  return done;
}
