import { wantsEventType } from '../../../kernel/words/event-types.ts';
import type { NewMessage } from '../../messages/publication.ts';
import { createByEventType } from './by-event-type.ts';
import type { PublishingConfig } from './load-config.ts';

const hearing = createByEventType(({ listens }: Pick<PublishingConfig, 'listens'>, eventType) =>
  listens.filter(({ eventTypes }) => wantsEventType(eventTypes, eventType)),
);

/** Ids of those messages of a channel that steps of workflows may wait for. A worker looks for the runs that do. */
export const heardOf = (config: Pick<PublishingConfig, 'listens'>, messages: readonly NewMessage[]): string[] =>
  config.listens.length === 0
    ? []
    : messages.filter(({ eventType }) => hearing(config, eventType).length > 0).map(({ id }) => id);
