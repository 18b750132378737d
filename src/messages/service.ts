import type { Dependencies } from '../dependencies.ts';
import type { Caller } from '../http/context.ts';
import { ApiError, invalidField, notFound } from '../shared/api-error.ts';
import { ExactJson } from '../shared/exact-json.ts';
import { type HandOver, noHandOver } from '../shared/hand-over.ts';
import { timeOfId } from '../shared/ids.ts';
import { pageRequest, type ListScope, type Page, toPage } from '../shared/page.ts';
import { batchPayloadTexts, payloadText } from './payload-text.ts';
import { createPublisher } from './publisher.ts';
import type { NewMessage, Publication } from './publish-store.ts';
import type { BatchAccepted, ListMessages, Message, PublishBatch, PublishMessage } from './schema.ts';
import * as store from './store.ts';

/** The eventType of a subscription's test message when its caller names none. */
export const TEST_EVENT_TYPE = 'posthorn.test';

type Published<B> = { body: B; bodyText: string };

export type Messages = ReturnType<typeof createMessages>;

/** Publishing and reading messages (spec §4 Messages). Everything published is in PostgreSQL when these return. */
export function createMessages(
  { pool, db, newId, clock, log }: Pick<Dependencies, 'pool' | 'db' | 'newId' | 'clock' | 'log'>,
  handOver: HandOver = noHandOver,
) {
  const publisher = createPublisher(pool, log, handOver);

  const newMessage = (message: PublishMessage, payload: string): NewMessage => {
    const id = newId('message');
    return {
      id,
      eventType: message.eventType,
      payload,
      metadata: message.metadata,
      publishedAt: timeOfId('message', id) ?? clock(),
    };
  };

  /** Stores them and returns which had a taker. NOT_FOUND for a missing channel, CONFLICT for one that is not active. */
  const publishAll = async (publication: Publication): Promise<Set<string>> => {
    const { channelStatus, routed } = await publisher.store(publication);
    if (channelStatus === undefined) throw notFound('channel');
    const isSystemTest = channelStatus === 'system' && publication.onlySubscriptionId !== undefined;
    if (channelStatus === 'system' && !isSystemTest) {
      throw new ApiError('CONFLICT', 'Only the service itself publishes to its system channel');
    }
    if (channelStatus !== 'active' && !isSystemTest) {
      throw new ApiError('CONFLICT', `The channel is ${channelStatus}; only an active one takes messages`);
    }
    return routed;
  };

  const toAccepted = (channelId: string, message: NewMessage, isRouted: boolean): Message => ({
    id: message.id,
    channelId,
    eventType: message.eventType,
    payload: new ExactJson(message.payload),
    ...(message.metadata !== undefined && { metadata: message.metadata }),
    publishedAt: message.publishedAt,
    deliveryStatus: isRouted ? 'pending' : 'unrouted',
  });

  return {
    /** Publishes one message. NOT_FOUND for a missing channel, CONFLICT for one that is not active. */
    async publish(caller: Caller, channelId: string, { body, bodyText }: Published<PublishMessage>): Promise<Message> {
      const message = newMessage(body, payloadText(bodyText));
      const routed = await publishAll({ environmentId: caller.environmentId, channelId, messages: [message] });
      return toAccepted(channelId, message, routed.has(message.id));
    },

    /** Publishes 1–100 messages, all or none (spec §4 batch rules). */
    async publishBatch(
      caller: Caller,
      channelId: string,
      { body, bodyText }: Published<PublishBatch>,
    ): Promise<BatchAccepted> {
      const texts = batchPayloadTexts(bodyText);
      const messages = body.messages.map((message, index) => newMessage(message, texts[index] ?? '{}'));
      await publishAll({ environmentId: caller.environmentId, channelId, messages });
      return { count: messages.length, ids: messages.map((message) => message.id), status: 'accepted' };
    },

    /**
     * Publishes a test message that only this subscription gets, delivered, retried and shown like any other.
     * NOT_FOUND for a missing subscription; CONFLICT for one that is not active, since the test would wait unseen.
     */
    async publishTest(
      caller: Caller,
      subscriptionId: string,
      { body, bodyText }: Published<{ eventType?: string | undefined; payload?: unknown } | undefined>,
    ): Promise<Message> {
      const target = await store.subscriptionTarget(db, caller.environmentId, subscriptionId);
      if (target === undefined) throw notFound('subscription');
      if (target.status !== 'active') {
        throw new ApiError('CONFLICT', `The subscription is ${target.status}; resume it before testing it`);
      }
      const payload = body?.payload === undefined ? '{"test":true}' : payloadText(bodyText);
      const message = newMessage({ eventType: body?.eventType ?? TEST_EVENT_TYPE, payload: {} }, payload);
      const { channelId } = target;
      const { environmentId } = caller;
      const routed = await publishAll({
        environmentId,
        channelId,
        onlySubscriptionId: subscriptionId,
        messages: [message],
      });
      return toAccepted(channelId, message, routed.has(message.id));
    },

    /** Messages of a channel, newest first; of a deleted channel too, until their retention ends. */
    async list(caller: Caller, channelId: string, query: ListMessages): Promise<Page<Message>> {
      if (query.since && query.until && query.since >= query.until)
        throw invalidField('until', 'must be later than since');
      if (!(await store.channelExists(db, caller.environmentId, channelId))) throw notFound('channel');
      const scope: ListScope = {
        list: `messages of ${channelId}`,
        environmentId: caller.environmentId,
        filters: { since: query.since?.toISOString(), until: query.until?.toISOString() },
      };
      const found = await store.listMessages(
        db,
        { environmentId: caller.environmentId, channelId, since: query.since, until: query.until },
        pageRequest(scope, query),
      );
      return toPage(scope, query.limit, found, (message) => message);
    },

    async get(caller: Caller, messageId: string): Promise<Message> {
      const message = await store.findMessage(db, caller.environmentId, messageId);
      if (message === undefined) throw notFound('message');
      return message;
    },
  };
}
