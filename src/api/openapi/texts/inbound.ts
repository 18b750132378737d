import { exampleId } from './example-ids.ts';
import type { OperationText } from './operation-text.ts';

/** Inbound webhooks. */
export const inboundTexts: Readonly<Record<string, OperationText>> = {
  'GET /v1/webhooks': {
    summary: 'List inbound webhooks',
    description: 'Inbound webhooks of the environment, the newest first.',
    example: { query: { channelId: exampleId('channel') } },
  },
  'POST /v1/webhooks': {
    summary: 'Make an inbound webhook',
    description:
      'Gives an address where a service sends its requests. `provider` names a known one; a scheme is enough for others. A secret is ' +
      'made where none is given and the service lets you choose it: `GET /v1/webhooks/{webhookId}/secrets` shows it.',
    example: { body: { name: 'GitHub', channelId: exampleId('channel'), provider: 'github' } },
  },
  'GET /v1/webhooks/:webhookId': {
    summary: 'Get an inbound webhook',
    description: 'Shows one inbound webhook, without its secrets.',
  },
  'PATCH /v1/webhooks/:webhookId': {
    summary: 'Change an inbound webhook',
    description: 'Changes the fields that are given. Null for a mapping brings the one of the provider back.',
    example: { body: { eventType: { literal: 'build.finished' } } },
  },
  'DELETE /v1/webhooks/:webhookId': {
    summary: 'Delete an inbound webhook',
    description: 'Its address is unknown from now on. Messages that it has made stay.',
  },
  'GET /v1/webhooks/:webhookId/secrets': {
    summary: 'Get the secrets',
    description:
      'Shows the secrets by which requests are verified: the current one, and up to three older ones while rotations overlap.',
  },
  'POST /v1/webhooks/:webhookId/secrets/rotate': {
    summary: 'Rotate the secret',
    description:
      'Sets a new secret, made here where none is given. Older ones stay valid beside it for `overlapHours`. CONFLICT while three older ones are valid, unless `overlapHours` is 0, which ends all of them.',
    example: { body: { overlapHours: 24 } },
  },
  'GET /v1/webhooks/:webhookId/sample': {
    summary: 'Get a sample',
    description:
      'Shows an event as the service of the webhook would send it, without its signature. `isSignable` is false where only the service ' +
      'can sign: Discord, SendGrid and Amazon SNS, and public keys of Standard Webhooks.',
  },
  'POST /v1/webhooks/:webhookId/sample': {
    summary: 'Send a signed sample',
    description:
      'Signs a sample by the newest secret, as the service does, and takes it like any request of the service. The message that it ' +
      'becomes is a real one: subscriptions and workflows get it, and its metadata has `sample`. `outcome` says what became of it. ' +
      'CONFLICT where only the service can sign.',
    example: { body: {} },
  },
  'GET /v1/webhooks/:webhookId/requests': {
    summary: 'List requests',
    description:
      'Requests that have come, the newest first, with what became of each and the message of those that were taken. They are kept as ' +
      'long as their channel keeps messages, refused ones for 7 days. Handshakes are left out.',
    example: { query: { outcome: 'received' } },
  },
  'GET /v1/webhooks/:webhookId/refusals': {
    summary: 'List refused requests',
    description:
      'Requests of the last 7 days that became no message, the newest first. `hasBody` says which of them can be accepted: those whose ' +
      'signature was good.',
    example: { query: { reason: 'signature_wrong' } },
  },
  'GET /v1/inbound-requests/:requestId/body': {
    summary: 'Get the body of a refused request',
    description:
      'Shows the body of a refused request whose signature was good, as it came. It is kept for 7 days, or until the request is ' +
      'accepted: CONFLICT otherwise.',
  },
  'POST /v1/inbound-requests/:requestId/accept': {
    summary: 'Accept a refused request',
    description:
      'Makes a message of a refused request whose signature was good, by what the webhook and its channel say now: correct the ' +
      'mapping or the schema first. It becomes one message: a second call answers with the first. If it is refused again, the request ' +
      'lists the new `reason`. CONFLICT where its body is not kept.',
  },
  'POST /v1/webhooks/:webhookId': {
    summary: 'Receive a request of a service',
    description:
      'The address that a service is given. A request that proves who sent it becomes a message of the channel. A second one with the ' +
      'same id of the event answers with the first message for 72 hours. The body is JSON or a form, up to 1 MiB, in any media type.',
    example: { status: 400 },
  },
};
