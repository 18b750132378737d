import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { reconcilerScheduleId } from '../../kernel/contract/temporal-names.ts';
import { type CodecKey, createCodec, keyIdOf } from './codec.ts';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';

/**
 * Stands in the memo of the reconciler's schedule, encrypted as everything else is. Each worker reads it at its start: histories that
 * it cannot decrypt would hold their deliveries up one by one, with an error for each.
 */
export const CODEC_MEMO = { codec: 'this opens with the keys of TEMPORAL_CODEC_KEYS' } as const;

type Checked = { namespace: string; taskQueue: string; codecKeys?: readonly CodecKey[] | undefined };

/**
 * Throws, with a sentence for the operator, when workers before this one have encrypted with a key that it lacks. Otherwise the first
 * key encrypts the memo anew where another one had, so that the other one can go. A schedule that is missing is made later, with the
 * first key.
 */
export async function checkCodecKeys(client: Client, { namespace, taskQueue, codecKeys }: Checked): Promise<void> {
  const scheduleId = reconcilerScheduleId(taskQueue);
  const { schedule } = await client.workflowService.describeSchedule({ namespace, scheduleId }).catch(ifMissing);
  if (schedule == null) return;
  const memo = schedule.action?.startWorkflow?.memo?.fields?.['codec'];
  const kid = memo == null ? undefined : keyIdOf(memo);
  if (memo != null && kid !== undefined) await open(memo, { kid, namespace, codecKeys });
  if (codecKeys === undefined || kid === codecKeys[0]?.kid) return;
  await client.schedule
    .getHandle(scheduleId)
    .update(({ action, ...rest }) => ({ ...rest, action: { ...action, memo: CODEC_MEMO } }));
}

/** Nobody has encrypted anything in a store that is new to us, or in a namespace that is still to be made. */
const ifMissing = (failure: unknown): { schedule?: never } => {
  if (grpcStatusOf(failure) === GRPC_STATUS.notFound) return {};
  throw failure;
};

async function open(
  memo: Payload,
  { kid, namespace, codecKeys }: { kid: string; namespace: string; codecKeys: Checked['codecKeys'] },
): Promise<void> {
  const advice = `or take a new TEMPORAL_NAMESPACE, in which unfinished deliveries begin anew`;
  if (!codecKeys?.some((known) => known.kid === kid))
    throw new Error(
      `TEMPORAL_CODEC_KEYS: the key ${kid} has encrypted workflows of the namespace ${namespace}; add it behind the first one, ${advice}`,
    );
  await createCodec(codecKeys)
    .decode([memo])
    .catch((cause: unknown) => {
      throw new Error(
        `TEMPORAL_CODEC_KEYS: its key ${kid} is another one than the key ${kid} of the workflows in the namespace ${namespace}; correct it, ${advice}`,
        { cause },
      );
    });
}
