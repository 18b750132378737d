const MESSAGE =
  'of `deliverAt` and `delay` one alone may be given, a time is at most 365 days ahead, and an event type has no `*`, no comma and no white space around it';
const CREDENTIAL = '`expiresAt` must be in the future, and `environment` that of its maker';
const ANOTHER_SECRET =
  'gives the session another secret, which the client of the fuzz would send beside the one before';
const DEFINITION = 'steps form a graph, and expressions in them must compile';
const FORM = 'the fields of a webhook fit its way of signing, and pointers and expressions must compile';
const POLICY = 'the `maxDelay` of a retry policy is at least its `initialDelay`';
const CONNECTOR = 'the connector says which fields `credentials` has';
const NAME = 'no name holds a control character';

/**
 * Routes on which data that fits the document may be refused with 400, each with its reason: JSON Schema cannot say it, or no made-up
 * value meets it. Nothing else is tolerated.
 */
export const TOLERATED: Readonly<Record<string, string>> = {
  'POST /v1/channels': `${NAME}, and a schema must compile`,
  'PATCH /v1/channels/:channelId': `${NAME}, and a schema must compile`,
  'GET /v1/channels/:channelId/messages':
    '`until` cannot be combined with `order=committed`, whose cursors are positions of their own',
  'POST /v1/channels/:channelId/messages': MESSAGE,
  'POST /v1/channels/:channelId/messages/batch': MESSAGE,
  'POST /v1/messages/batch': `${MESSAGE}, and each names a channel that there is`,
  'POST /v1/messages/transactional': `${MESSAGE}, and each names a channel that there is`,
  'POST /v1/channels/:channelId/validate':
    "one message's own fields must not stand beside `messages`, and a schema must compile",
  'POST /v1/channels/:channelId/dry-run': 'a filter must compile, and a sample must not stand beside `messageId`',
  'POST /v1/channels/:channelId/filter-test': 'a filter must compile',
  'GET /v1/channels/:channelId/stream': 'Last-Event-ID is a position that the stream has told',
  'POST /v1/subscriptions':
    'the address guard judges `webhookUrl`, a filter must compile, and `channelId` must be there',
  'POST /v1/subscriptions/:subscriptionId/test': 'an event type has no `*`, no comma and no white space around it',
  'PATCH /v1/subscriptions/:subscriptionId': 'the address guard judges `webhookUrl`, and a filter must compile',
  'POST /v1/dlq/discard': 'a channel, a subscription or a message that is named must be there',
  'POST /v1/dlq/replay': 'a channel, a subscription or a message that is named must be there',
  'POST /v1/deliveries/retry': 'a channel, a subscription, a message or a replay that is named must be there',
  'POST /v1/subscriptions/:subscriptionId/replay': '`since` must be before `until`',
  'POST /v1/messages/:messageId/replay': 'the subscription is one of the channel of the message',
  'POST /v1/machine-credentials': CREDENTIAL,
  'PATCH /v1/machine-credentials/:machineCredentialId': CREDENTIAL,
  'POST /v1/api-keys': CREDENTIAL,
  'PATCH /v1/api-keys/:apiKeyId': CREDENTIAL,
  'POST /v1/workflows': DEFINITION,
  'PATCH /v1/workflows/:workflowId': DEFINITION,
  'POST /v1/workflows/validate': 'an `id` that is given must be that of a workflow that there is',
  'POST /v1/workflows/:workflowId/test': 'results of steps are given by the ids that the definition has',
  'POST /v1/runs/:runId/approve': '`data` must fit the form of the approval',
  'POST /v1/runs/:runId/reject': '`data` must fit the form of the approval',
  'POST /v1/apps': POLICY,
  'PATCH /v1/apps/:appId': POLICY,
  'POST /v1/markers': '`at` must not be in the future, nor more than 366 days ago',
  'POST /v1/connections': CONNECTOR,
  'PATCH /v1/connections/:connectionId': CONNECTOR,
  'POST /v1/webhooks': FORM,
  'PATCH /v1/webhooks/:webhookId': FORM,
  'POST /v1/webhooks/:webhookId': 'the sender proves itself with the secret of the webhook',
  'POST /oauth/token': 'a token takes a proof and an HMAC over it',
};

/**
 * Routes of that list on which data that does not fit the document may be answered with 200, each with its reason
 * (`negative_data_rejection`).
 */
export const TOLD: Readonly<Record<string, string>> = {
  'POST /v1/workflows/validate': 'its good answer tells all faults of a definition, those of the document among them',
};

const SECOND_ID =
  'its second id is put there by the hooks, and another call may have deleted that thing: its 404 is no answer about the first one';

/**
 * Routes whose path names two things, each with its reason: schemathesis takes a 404 for one of the thing that it has just made
 * (`ensure_resource_availability`). All other checks hold on them.
 */
export const WITH_TWO_IDS: Readonly<Record<string, string>> = {
  'PATCH /v1/organisations/:organisationId/members/:userId': SECOND_ID,
  'DELETE /v1/organisations/:organisationId/members/:userId': SECOND_ID,
  'POST /v1/organisations/:organisationId/members/:userId/password-reset': SECOND_ID,
  'DELETE /v1/organisations/:organisationId/members/:userId/factors': SECOND_ID,
  'DELETE /v1/organisations/:organisationId/invitations/:invitationId': SECOND_ID,
};

/** Routes whose tries are counted by person, each with its reason: 429 is right there, and such a call says nothing about the data. */
export const COUNTED: Readonly<Record<string, string>> = {
  'POST /v1/user/totp/confirm': 'a person has five tries in 15 minutes',
};

/** Routes that are not tried, each with its reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'DELETE /v1/session': 'ends the session by which all routes of people are tried',
  'POST /v1/session/authenticate': ANOTHER_SECRET,
  'POST /v1/user/password': ANOTHER_SECRET,
  'POST /v1/organisations/:organisationId/ownership': `${ANOTHER_SECRET}, and takes rights from the person who asks`,
};
