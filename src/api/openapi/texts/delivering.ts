import { EXAMPLE_TIME, exampleId } from './example-ids.ts';
import type { OperationText } from './operation-text.ts';

/** Subscriptions, deliveries, dead letters and replays. */
export const deliveringTexts: Readonly<Record<string, OperationText>> = {
  'POST /v1/subscriptions': {
    summary: 'Make a subscription',
    description:
      'From now on the URL gets the messages of the channel. `startFrom` adds stored ones, by a replay that the answer names. With its `secret` a receiver that comes from elsewhere stays as it is.',
    example: {
      body: {
        channelId: exampleId('channel'),
        webhookUrl: 'https://example.com/hooks/orders',
        eventTypes: ['order.*'],
        filter: 'payload.total > 10',
        retryPolicy: { maxRetries: 8 },
      },
    },
  },
  'GET /v1/subscriptions': {
    summary: 'List subscriptions',
    description: 'Subscriptions of the environment, the newest first.',
    example: { query: { channelId: exampleId('channel') } },
  },
  'GET /v1/subscriptions/:subscriptionId': {
    summary: 'Get a subscription',
    description: 'Shows one subscription, with its circuit and the requests to its receiver at this moment.',
  },
  'PATCH /v1/subscriptions/:subscriptionId': {
    summary: 'Change a subscription',
    description: 'Changes the fields that are given. `retryPolicy` is merged; `eventTypes` and `headers` are replaced.',
    example: { body: { retryPolicy: { maxDelay: 600_000 }, timeoutMs: 5_000 } },
  },
  'DELETE /v1/subscriptions/:subscriptionId': {
    summary: 'Delete a subscription',
    description: 'Deletes the subscription. Deliveries of it that are not finished end as dead letters.',
  },
  'POST /v1/subscriptions/:subscriptionId/pause': {
    summary: 'Pause a subscription',
    description: 'Its deliveries wait until it is resumed.',
  },
  'POST /v1/subscriptions/:subscriptionId/resume': {
    summary: 'Resume a subscription',
    description: 'Makes a paused or disabled subscription active. Waiting deliveries go out.',
  },
  'POST /v1/subscriptions/:subscriptionId/test': {
    summary: 'Send a test message',
    description: 'Publishes a message to this subscription alone. Body and fields may be left out.',
    example: { body: { eventType: 'order.tested', payload: { number: 1 } } },
  },
  'GET /v1/subscriptions/:subscriptionId/secret': {
    summary: 'Get the signing secret',
    description: 'Shows the secret by which the subscriber verifies requests (Standard Webhooks).',
  },
  'POST /v1/subscriptions/:subscriptionId/secret/rotate': {
    summary: 'Rotate the signing secret',
    description: 'Makes a new secret, or takes yours. Older ones go on signing beside it for `overlapHours`.',
    example: { body: { overlapHours: 24 } },
  },
  'POST /v1/subscriptions/:subscriptionId/replay': {
    summary: 'Replay stored messages',
    description: 'Delivers stored messages of a time to the subscription again.',
    example: { body: { since: EXAMPLE_TIME, onlyMissing: true } },
  },
  'POST /v1/messages/:messageId/replay': {
    summary: 'Replay one message',
    description:
      'Delivers one stored message to one subscription of its channel, whatever the event types and the filter of that say. The delivery of before is sent anew, or one is made.',
    example: { body: { subscriptionId: exampleId('subscription') } },
  },
  'GET /v1/deliveries': {
    summary: 'List deliveries',
    description: 'Deliveries of the environment, the newest first.',
    example: { query: { status: 'failed' } },
  },
  'GET /v1/deliveries/:deliveryId': {
    summary: 'Get a delivery',
    description: 'Shows one delivery: a message on its way to a subscription.',
  },
  'GET /v1/deliveries/:deliveryId/attempts': {
    summary: 'List attempts of a delivery',
    description: 'Shows every request that was made for the delivery, with its answer or its failure.',
  },
  'POST /v1/deliveries/:deliveryId/retry': {
    summary: 'Retry a delivery',
    description: 'Makes a failed delivery due again, in a new round of its policy.',
  },
  'GET /v1/stats': {
    summary: 'Get figures of traffic',
    description:
      'Messages, attempts, dead letters and latencies of the environment, a channel or a subscription: in all, and in steps whose length follows from the span. By default of the last day. Figures are some seconds old. Those of minutes are kept for 3 days, those of hours for 400. `deliveries` counts the deliveries that were created in the span by their state at the moment of the request, for a success rate: the newest 50,000.',
  },
  'GET /v1/stats/subscriptions': {
    summary: 'Get figures of subscriptions',
    description:
      'The same of up to 100 subscriptions at once, in 24 steps or so, and how many deliveries of each wait now, counted up to 1,000. The newest 50,000 deliveries are counted by their state, divided among the subscriptions.',
  },
  'GET /v1/stats/channels': {
    summary: 'Get figures of channels',
    description:
      'Messages that were published to up to 100 channels, in 24 steps or so, and how many subscriptions each of them has: up to 1,000.',
  },
  'GET /v1/stats/workflows': {
    summary: 'Get figures of workflows',
    description: 'How the runs of up to 100 workflows ended, and those that completed and failed in 24 steps or so.',
  },
  'GET /v1/stats/webhooks': {
    summary: 'Get figures of inbound webhooks',
    description: 'How many requests to up to 100 inbound webhooks became messages, were repeated, and were refused.',
  },
  'GET /v1/stats/runs': {
    summary: 'Get figures of runs',
    description:
      'Runs of the environment or of a workflow that were started, completed, failed, were cancelled or skipped: in all, and in steps as of the figures of traffic. Beside them how many have not ended now. A run that fails and completes after a retry counts as failed when it failed, and as completed when it completed.',
  },
  'GET /v1/stats/backlog': {
    summary: 'Get the backlog',
    description:
      'Counts deliveries that wait or are being retried, and open dead letters: up to 1,000 each, of the environment or of one channel. Says whether a worker is alive, and whether Temporal answers.',
  },
  'GET /v1/dlq': {
    summary: 'List dead letters',
    description: 'Deliveries that were given up and runs that failed, the newest first.',
    example: { query: { reason: 'exhausted' } },
  },
  'GET /v1/deliveries/export': {
    summary: 'Export deliveries',
    description: 'The list as a file of up to 100,000 deliveries. The audit log tells of it.',
    example: { query: { format: 'csv', status: 'failed' } },
  },
  'GET /v1/dlq/export': {
    summary: 'Export dead letters',
    description: 'The list as a file of up to 100,000 dead letters. The audit log tells of it.',
    example: { query: { format: 'csv', status: 'open' } },
  },
  'GET /v1/dlq/groups': {
    summary: 'Group dead letters',
    description:
      'Counts open dead letters by subscription or workflow, reason, class of the error and status of the answer: what is broken, at one look.',
  },
  'GET /v1/dlq/:deadLetterId': {
    summary: 'Get a dead letter',
    description: 'Shows why a delivery was given up, or why a run failed.',
  },
  'DELETE /v1/dlq/:deadLetterId': {
    summary: 'Discard a dead letter',
    description: 'Closes the dead letter without another try. The letter stays readable.',
  },
  'POST /v1/dlq/:deadLetterId/replay': {
    summary: 'Replay a dead letter',
    description: 'Makes its delivery due again. A run goes on from the step that failed.',
  },
  'POST /v1/dlq/replay': {
    summary: 'Replay many dead letters',
    description:
      'Replays the open dead letters that a filter matches; `{}` is all of them. With `dryRun` it only counts.',
    example: { body: { channelId: exampleId('channel'), reason: 'exhausted', ratePerSecond: 50 } },
  },
  'POST /v1/dlq/discard': {
    summary: 'Discard many dead letters',
    description:
      'Discards the oldest 1,000 open dead letters that a filter matches; `{}` is all of them. With `dryRun` it only counts.',
    example: { body: { channelId: exampleId('channel'), errorClass: 'dns' } },
  },
  'GET /v1/dlq/replay': {
    summary: 'List bulk replays',
    description: 'Replays of dead letters, the newest first, with their counts.',
    example: { query: { status: 'completed' } },
  },
  'GET /v1/dlq/replay/:bulkReplayId': {
    summary: 'Get a bulk replay',
    description: 'Shows how far a replay of dead letters is.',
  },
  'POST /v1/dlq/replay/:bulkReplayId/cancel': {
    summary: 'Cancel a bulk replay',
    description: 'Ends the replay. Deliveries that it has made due stay so.',
  },
  'POST /v1/deliveries/retry': {
    summary: 'Retry many deliveries',
    description:
      'Retries the deliveries that a filter matches; `{}` is all that have not arrived. With `dryRun` it only counts.',
    example: { body: { channelId: exampleId('channel'), status: 'retrying', ratePerSecond: 50 } },
  },
  'GET /v1/deliveries/retry': {
    summary: 'List bulk retries',
    description: 'Retries of many deliveries, the newest first, with their counts.',
    example: { query: { status: 'completed' } },
  },
  'GET /v1/deliveries/retry/:bulkRetryId': {
    summary: 'Get a bulk retry',
    description: 'Shows how far a retry of many deliveries is.',
  },
  'POST /v1/deliveries/retry/:bulkRetryId/cancel': {
    summary: 'Cancel a bulk retry',
    description: 'Ends the retry. Deliveries that it has made due stay so.',
  },
  'GET /v1/replays': {
    summary: 'List replays of messages',
    description: 'Replays of stored messages, the newest first, with their counts.',
    example: { query: { subscriptionId: exampleId('subscription') } },
  },
  'GET /v1/replays/:messageReplayId': {
    summary: 'Get a replay of messages',
    description: 'Shows how far a replay of stored messages is.',
  },
  'POST /v1/replays/:messageReplayId/cancel': {
    summary: 'Cancel a replay of messages',
    description: 'Ends the replay. Deliveries that it has made due stay so.',
  },
};
