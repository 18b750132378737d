import type { Dependencies } from '../dependencies.ts';
import { timeOfId } from '../kernel/ids.ts';
import { contentHash } from './refusals.ts';
import type { NewMessage } from './store.ts';
import { problemOfPast, timeToPublish } from '../scheduling/schedule-rules.ts';
import type { PublishBatch, PublishMessage } from '../messages/schema.ts';

/** Makes messages of what a request asks for: with an id, and with the time in it at which they are published. */
export function createNewMessages({ newId, clock }: Pick<Dependencies, 'newId' | 'clock'>) {
  /** `at` is where it stands in the request. INVALID_REQUEST for a time that neither it nor a repeat can be published at. */
  const newMessage = (message: PublishMessage, payload: string, at = ''): NewMessage => {
    const { eventType, metadata } = message;
    const now = clock();
    // A repeat is known by its id alone, however long ago its time was: that is found out where it would be stored.
    const mayRepeat = message.id !== undefined && message.delay === undefined;
    const unlessKnown = mayRepeat ? problemOfPast(message, now, at) : undefined;
    const time = unlessKnown === undefined ? timeToPublish(message, now, at) : undefined;
    const id = newId('message', time);
    return {
      id,
      eventType,
      payload,
      metadata,
      publishedAt: timeOfId('message', id) ?? now,
      ...(time !== undefined && { isScheduled: true }),
      ...(unlessKnown !== undefined && { unlessKnown }),
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
