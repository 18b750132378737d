import { storePublications } from '../../../src/delivery/record/statements/publish.ts';
import type { Pool } from 'pg';
import type { Filters } from '../../../src/messaging/filters/filters.ts';
import { createConfigs } from '../../../src/process/assembly/create-dependencies.ts';
import { createPublishDue, type PublishedDue } from '../../../src/messaging/scheduling/due/publish-due.ts';
import { noHandOver } from '../../../src/messaging/publishing/hand-over.ts';
import type { TestPosthorn } from '../service/posthorn.ts';

/** A worker's publishing of scheduled messages, without the worker: each has a memory of its own, as a process has. */
export const createDuePublisher = (
  { deps }: TestPosthorn,
  filters: Pick<Filters, 'evaluate'> = deps.filters,
): (() => Promise<PublishedDue>) =>
  createPublishDue({ ...deps, filters, configs: createConfigs(deps.pool), storePublications, handOver: noHandOver });

/** Filters whose verdicts on the messages of one channel take until `decide`, whatever the machine. */
export function createHeldFilters(
  { deps }: TestPosthorn,
  heldChannelId: string,
): Pick<Filters, 'evaluate'> & { asked: string[]; decide(): void } {
  const { filters } = deps;
  const asked: string[] = [];
  let decide = (): void => {};
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });
  return {
    asked,
    decide,
    evaluate(expressions, input) {
      asked.push(input.payload);
      if (input.key !== heldChannelId) return filters.evaluate(expressions, input);
      return decided.then(() => filters.evaluate(expressions, input));
    },
  };
}

/** Publishes all that is due. Returns the sizes of the batches. */
export async function publishAllDue(publishDue: () => Promise<PublishedDue>): Promise<number[]> {
  const sizes: number[] = [];
  for (;;) {
    const { messages, isMore } = await publishDue();
    sizes.push(messages);
    if (!isMore) return sizes;
  }
}

/** As if the time of everything that waits in these channels had come. */
export async function makeDue(pool: Pool, ...channelIds: string[]): Promise<void> {
  // The column rounds to milliseconds: `now()` alone could be half of one ahead.
  await pool.query(
    `UPDATE scheduled_messages SET due_at = now() - interval '1 ms' WHERE channel_id = ANY ($1) AND due_at IS NOT NULL`,
    [channelIds],
  );
}

/** Messages that were to be published so long ago, as no worker was there. Returns their ids. */
export async function insertOverdue(
  { deps }: TestPosthorn,
  channelId: string,
  { agoMs, count = 1, payload = '{"n":1}' }: { agoMs: number; count?: number; payload?: string },
): Promise<string[]> {
  const deliverAt = new Date(Date.now() - agoMs);
  const ids = Array.from({ length: count }, () => deps.newId('message', deliverAt));
  await deps.pool.query(
    `INSERT INTO scheduled_messages (id, environment_id, channel_id, event_type, payload, deliver_at, due_at)
     SELECT u.id, c.environment_id, c.id, 'order.created', $3, $4, $4 FROM channels c, unnest($2::text[]) AS u (id) WHERE c.id = $1`,
    [channelId, ids, payload, deliverAt],
  );
  return ids;
}
