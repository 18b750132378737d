import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import { isUnreachable } from '../../platform/db/failures.ts';
import { wakeForRuns } from '../../platform/db/waking.ts';
import type { Filters } from '../filters/filters.ts';
import { systemChannelId } from '../../kernel/words/event-types.ts';
import type { NewId } from '../../platform/new-id.ts';
import type { PublishingConfigs, PublishingConfig } from './configs/channel-configs.ts';
import { beginningBy } from './configs/new-runs.ts';
import { insertEventRuns, lockConfigVersion, readServiceEvents, type ServiceEventMessage } from './event-runs-store.ts';

type Dependencies = {
  log: Pick<Logger, 'error' | 'warn'>;
  newId: NewId;
  filters: Pick<Filters, 'evaluate'>;
  publishingConfigs: Pick<PublishingConfigs, 'of' | 'newest'>;
};

/**
 * Starts the runs triggered by those of the messages that are service events, in this transaction. A service event is
 * published by the statement that causes it, where filters cannot be evaluated, so a worker decides afterwards which
 * runs it starts, by the triggers that are active then.
 */
export type BeginByServiceEvents = (
  connection: PoolClient,
  environmentId: string,
  messageIds: readonly string[],
) => Promise<void>;

export function createBeginByServiceEvents(deps: Dependencies): BeginByServiceEvents {
  return async (connection, environmentId, messageIds) => {
    const channelId = systemChannelId(environmentId);
    const events = await readServiceEvents(connection, channelId, messageIds);
    if (events.length === 0) return;
    const config = await currentConfig(deps, connection, environmentId, channelId);
    if (config === undefined || config.triggers.length === 0) return;
    for (const event of events) await begin(deps, connection, config, event);
    await wakeForRuns(connection);
  };
}

/** Returns the configuration of the system channel, which cannot change before the end of the transaction. */
async function currentConfig(
  { publishingConfigs }: Dependencies,
  connection: PoolClient,
  environmentId: string,
  channelId: string,
): Promise<PublishingConfig | undefined> {
  const version = await lockConfigVersion(connection, channelId);
  const known = await publishingConfigs.of(environmentId, channelId);
  return known?.version === version ? known : publishingConfigs.newest(environmentId, channelId);
}

const TOO_DEEP = `the chain of runs that led to it is too long: a service event counts as ${WORKFLOW_BOUNDS.serviceEventDepth} of the ${WORKFLOW_BOUNDS.chainDepth} runs that a chain can have`;

/** An internal error with one event does not prevent the runs of others. */
async function begin(
  { filters, newId, log }: Dependencies,
  connection: PoolClient,
  config: PublishingConfig,
  event: ServiceEventMessage,
): Promise<void> {
  const { id: messageId, channelId, eventType, payload, chainDepth } = event;
  let begun: Awaited<ReturnType<typeof beginningBy>>;
  try {
    begun = await beginningBy(filters, channelId, config, { eventType, payload, metadata: undefined });
  } catch (failure) {
    if (isUnreachable(failure)) throw failure;
    log.error(
      { err: failure, messageId },
      'could not start the workflows of a service event because of an internal error; they will not be started for it',
    );
    return;
  }
  if (begun.length === 0) return;
  // Nobody published the service event whose request could be rejected, so a skipped run shows that the chain ends.
  const isTooDeep = chainDepth >= WORKFLOW_BOUNDS.chainDepth;
  if (isTooDeep)
    for (const { workflowId } of begun)
      log.warn(
        { messageId, workflowId },
        'skipped the run of a workflow because its chain of runs is too long; the skipped run says so',
      );
  await insertEventRuns(
    connection,
    messageId,
    begun.map(({ workflowId, version }) => ({
      id: newId('run'),
      workflowId,
      version,
      ...(isTooDeep && { skippedFor: TOO_DEEP }),
    })),
  );
}
