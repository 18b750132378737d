import { EXAMPLE_TIME, exampleId } from './example-ids.ts';
import type { OperationText } from './operation-text.ts';

const message = { eventType: 'order.created', payload: { number: 1, total: 12.5 }, metadata: { source: 'shop' } };
const across = { ...message, channelId: exampleId('channel') };

/** Channels, messages, and publishing. */
export const publishingTexts: Readonly<Record<string, OperationText>> = {
  'POST /v1/channels': {
    summary: 'Make a channel',
    description: 'A channel is where you publish. Fields that are left out have the defaults of its app.',
    example: { body: { name: 'orders', description: 'Orders of the shop', retentionDays: 90 } },
  },
  'GET /v1/channels': {
    summary: 'List channels',
    description: 'Channels of the environment, the newest first.',
    example: { query: { status: 'active' } },
  },
  'GET /v1/channels/:channelId': { summary: 'Get a channel', description: 'Shows one channel.' },
  'PATCH /v1/channels/:channelId': {
    summary: 'Change a channel',
    description: 'Changes the fields that are given. An archived channel takes no change but a new `status`.',
    example: { body: { name: 'orders', retentionDays: 30 } },
  },
  'DELETE /v1/channels/:channelId': {
    summary: 'Delete a channel',
    description: 'Deletes the channel and its subscriptions. Its messages stay readable until their retention ends.',
  },
  'POST /v1/channels/:channelId/messages': {
    summary: 'Publish a message',
    description:
      'The answer comes after one transaction has stored the message and its deliveries. With `deliverAt` or `delay` the message waits for its time.',
    example: { body: message },
  },
  'POST /v1/channels/:channelId/messages/batch': {
    summary: 'Publish several messages',
    description: 'Publishes 1 to 100 messages to one channel, all of them or none.',
    example: { body: { messages: [message, { ...message, payload: { number: 2 } }] } },
  },
  'GET /v1/messages': {
    summary: 'List messages of all channels',
    description:
      'Messages of the environment, the newest first, with the size of their payload and their deliveries by state.',
    example: { query: { eventType: 'order.*', limit: '50' } },
  },
  'POST /v1/messages/batch': {
    summary: 'Publish to several channels',
    description: 'Publishes 1 to 100 messages, each to the channel that it names, all of them or none.',
    example: { body: { messages: [across] } },
  },
  'POST /v1/messages/transactional': {
    summary: 'Publish in one transaction',
    description: 'Does the same as the batch path, under a limit of its own.',
    example: { body: { messages: [across] } },
  },
  'POST /v1/channels/:channelId/validate': {
    summary: 'Try payloads on the schemas',
    description:
      'Says whether the schemas of the channel would take each payload, or those of the request in their place. Nothing is published or saved.',
    example: { body: { eventType: 'order.created', payload: { number: 1 } } },
  },
  'POST /v1/channels/:channelId/dry-run': {
    summary: 'Ask who would get a message',
    description:
      'Shows the fate of a message if it were published now, with a page of the subscriptions. Name a stored message instead of a sample, or give a filter to try.',
    example: { body: { eventType: 'order.created', payload: { number: 1 }, filter: 'payload.number > 0' } },
  },
  'GET /v1/messages/:messageId/verdicts': {
    summary: 'Ask who would get a stored message now',
    description:
      'Says of up to 100 subscriptions of its channel, the newest first, whether they would get it now and why, and names the delivery of each that has one.',
  },
  'POST /v1/channels/:channelId/filter-trial': {
    summary: 'Try a filter on the newest messages',
    description:
      'Says of up to 50 of the newest messages of the channel whether a filter would let them through, in one request. Nothing is stored.',
    example: { body: { filter: "eventType == 'order.created'", limit: 20 } },
  },
  'GET /v1/channels/:channelId/messages': {
    summary: 'List messages of a channel',
    description: 'Messages of the channel, the newest first, within `since` and `until` of their publication.',
    example: { query: { eventType: 'order.*', limit: '50' } },
  },
  'GET /v1/channels/:channelId/scheduled': {
    summary: 'List messages that wait',
    description: 'Messages of the channel that wait for their time, and those that were cancelled.',
    example: { query: { status: 'scheduled' } },
  },
  'GET /v1/messages/export': {
    summary: 'Export messages',
    description:
      'The list over channels as a file of up to 100,000 messages, each with its payload digit for digit. The audit log tells of it.',
    example: { query: { format: 'csv', since: EXAMPLE_TIME } },
  },
  'GET /v1/changes': {
    summary: 'Follow changes',
    description:
      'Tells as server-sent events that resources of the environment are new or have changed, within two seconds or so: a hint to look again, and no record. A caller is told of the kinds that its scopes may read. `everything` says that changes may have been missed.',
  },
  'GET /v1/search': {
    summary: 'Search',
    description:
      'Finds resources by any id, messages by your own id or their event type, others by their names, and messages by a value in their payload: `payload.order.id=42`, or `SO-10922` wherever it is. A caller finds what its scopes may read. Payloads are looked through from the newest on, up to a bound, and the cursor goes on from there.',
    example: { query: { q: 'payload.order.id=42', since: EXAMPLE_TIME } },
  },
  'GET /v1/channels/:channelId/stream': {
    summary: 'Follow a channel',
    description:
      'Sends each message of the channel as a server-sent event as soon as it is published. A caller that comes back names the last event in `Last-Event-ID` and misses nothing.',
  },
  'GET /v1/messages/:messageId': {
    summary: 'Get a message',
    description: 'Shows one message, with the state of its deliveries together.',
  },
  'DELETE /v1/messages/:messageId': {
    summary: 'Erase a message',
    description: 'Erases payload and metadata for ever. Waiting deliveries are given up.',
  },
  'POST /v1/messages/:scheduledMessageId/cancel': {
    summary: 'Cancel a scheduled message',
    description: 'Cancels the publication of a message that waits for its time.',
  },
};
