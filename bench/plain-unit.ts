import type { NewMessage } from '../src/messaging/messages/publication.ts';
import { singleNaming } from '../src/messaging/publishing/prepare.ts';
import type { PublishUnit } from '../src/messaging/publishing/transaction.ts';

/** One message to one channel, as the service commits it when it comes without a key, an id and a time of its own. */
export const plainUnit = (environmentId: string, channelId: string, message: NewMessage): PublishUnit => ({
  publications: [{ environmentId, channelId, messages: [message] }],
  warnings: [],
  naming: singleNaming,
  asked: { kind: 'message', channelId, message },
});
