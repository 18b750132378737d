import type { Pool } from 'pg';
import { createGrouping } from '../../platform/db/group.ts';
import { untilReachable } from '../../platform/db/failures.ts';
import type { NewId } from '../../platform/new-id.ts';
import type { SendResult } from '../../platform/outbound/post-webhook.ts';
import type { Judgement } from './judge.ts';
import { type AttemptRecord, recordAttempts, recordLate } from '../record/statements/record.ts';
import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';

// One transaction at a time. A group's size bounds the requests that a crash repeats.
const COMMITS_IN_FLIGHT = 1;
const GROUP_TRIES = 100;

/** A try that has been made and judged. */
type TryToRecord = {
  delivery: DeliveryToAttempt;
  number: number;
  carrier: string;
  keepsCarrier: boolean;
  sent: SendResult;
  judgement: Judgement;
};

/** Records tries of activities and drains in group commits. */
export type Recorder = {
  /**
   * True once the try is committed; false when its delivery has moved on and nothing was written. The request is out, so its result is
   * worth recording however late: while PostgreSQL is away this waits, as long as the process lives.
   */
  record(made: TryToRecord): Promise<boolean>;
};

export function createRecorder({
  pool,
  newId,
  onGroup,
}: {
  pool: Pool;
  newId: NewId;
  onGroup?: ((items: number) => void) | undefined;
}): Recorder {
  const grouping = createGrouping<AttemptRecord, boolean>({
    inFlight: COMMITS_IN_FLIGHT,
    maxWeight: GROUP_TRIES,
    weightOf: () => 1,
    onGroup,
    run: async (records) => {
      const recorded = await untilReachable(
        () => recordAttempts(pool, records),
        () => false,
      );
      // Rare: a delivery that was ended meanwhile keeps its end, and its last try is on record all the same.
      for (const late of records.filter(({ deliveryId }) => !recorded.has(deliveryId)))
        await untilReachable(
          () => recordLate(pool, late),
          () => false,
        );
      return records.map(({ deliveryId }) => recorded.has(deliveryId));
    },
  });
  return {
    record: ({ delivery, number, carrier, keepsCarrier, sent, judgement }) =>
      grouping.add({
        attemptId: newId('attempt'),
        deliveryId: delivery.deliveryId,
        round: delivery.round,
        number,
        carrier,
        keepsCarrier,
        startedAt: sent.startedAt,
        durationMs: sent.durationMs,
        requestVersion: delivery.subscription.requestVersion,
        ...judgement,
        error: sent.error ?? null,
        response: sent.response ?? null,
      }),
  };
}
