import { hears } from '../../automations/definitions/plan/listens.ts';
import type { NewMessage, Publication } from '../../messages/publication.ts';
import type { PublishingConfig } from './config-store.ts';

/** Ids of those messages of a channel that steps of workflows may wait for. A worker looks for the runs that do. */
export const heardOf = (
  { channelId }: Pick<Publication, 'channelId'>,
  { listens }: Pick<PublishingConfig, 'listens'>,
  messages: readonly NewMessage[],
): string[] =>
  listens.length === 0
    ? []
    : messages
        .filter(({ eventType }) => listens.some((listening) => hears(listening, { channelId, eventType })))
        .map(({ id }) => id);
