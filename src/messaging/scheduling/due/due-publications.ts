import type { FilterMatch, NewMessage, NewRun, Publication } from '../../messages/publication.ts';
import type { PublishingConfig } from '../../publishing/configs/load-config.ts';
import { heardOf } from '../../publishing/configs/heard.ts';
import type { AcceptedMessage } from './due-store.ts';

/** Verdicts on messages of one channel: the version of its configuration, and the messages that its filters let through. */
export type DueDecision = {
  config: Pick<PublishingConfig, 'version' | 'filters' | 'listens' | 'width'>;
  matches: readonly FilterMatch[];
  /** Runs of workflows that the messages begin. */
  runs: readonly NewRun[];
};

type Group = Publication & { messages: NewMessage[]; matches?: FilterMatch[]; runs?: NewRun[] };

/** One publication for each channel, trace and number of hops. */
export function toPublications(
  taken: readonly AcceptedMessage[],
  decisions: ReadonlyMap<string, DueDecision>,
): readonly Publication[] {
  const groups = new Map<string, Group>();
  const groupOf = new Map<string, Group>();
  for (const { environmentId, channelId, message, trace, hops } of taken) {
    const key = [channelId, trace.traceparent, trace.tracestate, hops].join();
    const { config } = decisions.get(channelId) ?? {};
    const group = groups.get(key) ?? {
      environmentId,
      channelId,
      ...(config !== undefined && { configVersion: config.version, width: config.width }),
      ...(config !== undefined && config.filters.length > 0 && { matches: [] }),
      ...(trace.traceparent !== null && { trace }),
      ...(hops > 0 && { hops }),
      messages: [],
    };
    group.messages.push(message);
    groups.set(key, group);
    groupOf.set(message.id, group);
  }
  for (const { matches, runs } of decisions.values()) {
    for (const match of matches) groupOf.get(match.messageId)?.matches?.push(match);
    for (const run of runs) {
      const group = groupOf.get(run.messageId);
      if (group !== undefined) group.runs = [...(group.runs ?? []), run];
    }
  }
  return [...groups.values()].map((group) => {
    const { config } = decisions.get(group.channelId) ?? {};
    const heard = config === undefined ? [] : heardOf(config, group.messages);
    return heard.length === 0 ? group : { ...group, heard };
  });
}
