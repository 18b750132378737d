import type { Dependencies } from '../dependencies.ts';
import { timeOfId } from '../shared/ids.ts';
import { contentHash } from './publish-rules.ts';
import type { NewMessage } from './publish-store.ts';
import { timeToPublish } from './schedule-rules.ts';
import type { PublishBatch, PublishMessage } from './schema.ts';

/** Makes messages of what a request asks for: with an id, and with the time in it at which they are published. */
export function createNewMessages({ newId, clock }: Pick<Dependencies, 'newId' | 'clock'>) {
  /** `at` is where it stands in the request. INVALID_REQUEST for a time that it cannot be published at. */
  const newMessage = (message: PublishMessage, payload: string, at = ''): NewMessage => {
    const { eventType, metadata } = message;
    const time = timeToPublish(message, clock(), at);
    const id = newId('message', time);
    return {
      id,
      eventType,
      payload,
      metadata,
      publishedAt: timeOfId('message', id) ?? clock(),
      ...(time !== undefined && { isScheduled: true }),
      ...(message.id !== undefined && {
        publisher: { id: message.id, hash: contentHash({ eventType, payload, metadata }, message) },
      }),
    };
  };

  return {
    newMessage,
    newMessages: ({ messages }: PublishBatch, texts: readonly string[]): NewMessage[] =>
      messages.map((message, index) => newMessage(message, texts[index] ?? '{}', `messages[${index}].`)),
  };
}
