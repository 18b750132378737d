import type { Pool } from 'pg';
import type { EventTrigger, ReadEventTrigger } from './event-triggers.ts';
import { isForChannel } from './listening.ts';
import { systemChannelId } from '../../../kernel/words/event-types.ts';
import { readPublishingConfig, type StoredConfig } from './config-store.ts';

/**
 * Everything that publishing to a channel depends on beside its status. A publication is checked against one version of it. Other
 * channels have no part in it: with ten thousand workflows, memory would hold the configurations of sixteen channels.
 */
export type PublishingConfig = Omit<StoredConfig, 'workflows'> & {
  /** Active workflows that messages of this channel begin, and those of all inbound webhooks. */
  triggers: readonly EventTrigger[];
};

/** Undefined for a channel that is missing, deleted or of another environment; `known` itself while its version holds. */
export async function loadPublishingConfig(
  { pool, readTrigger }: { pool: Pool; readTrigger: ReadEventTrigger },
  environmentId: string,
  channelId: string,
  known: PublishingConfig | undefined,
): Promise<PublishingConfig | undefined> {
  const stored = await readPublishingConfig(pool, environmentId, channelId, known?.version);
  if (stored === undefined || stored === 'same') return stored && known;
  const { workflows, listens, ...config } = stored;
  const channel = { channelId, isSystem: channelId === systemChannelId(environmentId) };
  return {
    ...config,
    triggers: workflows.flatMap((workflow) => readTrigger(workflow, channel) ?? []),
    listens: listens.filter((listening) => isForChannel(listening, channelId)),
  };
}
