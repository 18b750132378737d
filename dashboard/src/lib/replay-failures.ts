import type { AskBulkReplay, BulkReplay } from '../../../client/src/index.ts';

export type ReplayedKind = 'delivery' | 'run';

/**
 * The filters of what a replay has not mended: given up since it began, with the same place. Their cause may be another one by now, so
 * that it is left out. Deliveries were made before those of the replay had failed. Runs have no such time.
 */
export function failuresOf({
  createdAt,
  filter,
}: Pick<BulkReplay, 'createdAt' | 'filter'>): [ReplayedKind, AskBulkReplay][] {
  const { channelId, subscriptionId, messageId, workflowId, eventType, kind, createdSince, createdUntil, until } =
    filter;
  const place = {
    ...(channelId !== undefined && { channelId }),
    ...(eventType !== undefined && { eventType }),
  };
  const lastMade = createdUntil !== undefined && Date.parse(createdUntil) < Date.parse(until) ? createdUntil : until;
  const deliveries: AskBulkReplay = {
    ...place,
    ...(subscriptionId !== undefined && { subscriptionId }),
    ...(messageId !== undefined && { messageId }),
    kind: 'delivery',
    since: createdAt,
    ...(createdSince !== undefined && { createdSince }),
    createdUntil: lastMade,
  };
  const runs: AskBulkReplay = {
    ...place,
    ...(messageId !== undefined && { messageId }),
    ...(workflowId !== undefined && { workflowId }),
    kind: 'run',
    since: createdAt,
  };
  const isOfDeliveries = subscriptionId !== undefined || createdSince !== undefined || createdUntil !== undefined;
  return [
    ...(kind === 'run' || workflowId !== undefined ? [] : [['delivery', deliveries] as [ReplayedKind, AskBulkReplay]]),
    ...(kind === 'delivery' || isOfDeliveries ? [] : [['run', runs] as [ReplayedKind, AskBulkReplay]]),
  ];
}
