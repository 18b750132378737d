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
 * Begins the runs of those messages that are service events, in this transaction. A service event is published by the statement that
 * causes it, where no filter can be asked: a worker decides on its runs afterwards, by the triggers that are active then.
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

/** The system channel's configuration, which does not change before the end of the transaction. */
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

const TOO_DEEP = `the chain of runs before it is too long: a service event counts as ${WORKFLOW_BOUNDS.serviceEventDepth} of the ${WORKFLOW_BOUNDS.chainDepth} runs that may stand one below the other`;

/** A fault in one event keeps no other one from its runs. */
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
    log.error({ err: failure, messageId }, 'a service event began no workflow, by a fault of the service');
    return;
  }
  if (begun.length === 0) return;
  // Nobody publishes a service event who could be refused: the run itself says that the chain ends.
  const isTooDeep = chainDepth >= WORKFLOW_BOUNDS.chainDepth;
  if (isTooDeep)
    for (const { workflowId } of begun)
      log.warn(
        { messageId, workflowId },
        'a service event would have begun one run too many of a chain; the workflow has a skipped run that says so',
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
