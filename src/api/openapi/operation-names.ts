import type { Row } from '../http/route/route.ts';

type Named = Pick<Row, 'method' | 'path'> & { isList: boolean };

/** Name of an endpoint among the operations of the document and the methods of the client library: `posthorn.<resource>.<method>(…)`. */
export type MethodName = { resource: string; method: string };

/** Names that read better than the ones of the rule below. */
export const CHOSEN: Readonly<Record<string, string>> = {
  'POST /v1/channels/:channelId/messages': 'messages.publish',
  'GET /v1/channels/:channelId/messages': 'messages.list',
  'GET /v1/messages': 'messages.listAll',
  'POST /v1/channels/:channelId/messages/batch': 'messages.publishBatch',
  'POST /v1/messages/batch': 'messages.publishAcross',
  'POST /v1/messages/transactional': 'messages.publishTransactional',
  'POST /v1/channels/:channelId/validate': 'messages.validate',
  'POST /v1/channels/:channelId/dry-run': 'messages.dryRun',
  'POST /v1/channels/:channelId/filter-trial': 'messages.tryFilter',
  'GET /v1/channels/:channelId/scheduled': 'messages.listScheduled',
  'GET /v1/channels/:channelId/stream': 'messages.stream',
  'GET /v1/search': 'search.find',
  'GET /v1/changes': 'changes.follow',
  'GET /v1/messages/export': 'messages.export',
  'GET /v1/deliveries/export': 'deliveries.export',
  'GET /v1/dlq/export': 'deadLetters.export',
  'GET /v1/runs/export': 'runs.export',
  'POST /v1/subscriptions/:subscriptionId/secret/rotate': 'subscriptions.rotateSecret',
  'GET /v1/workflows/:workflowId/schedule': 'workflows.getSchedule',
  'GET /v1/workflows/:workflowId/versions': 'workflows.listVersions',
  'POST /v1/workflows/:workflowId/test': 'workflows.test',
  'POST /v1/workflows/:workflowId/runs': 'runs.start',
  'GET /v1/workflows/:workflowId/runs': 'runs.listOfWorkflow',
  'POST /v1/workflows/:workflowId/runs/cancel': 'runs.cancelMany',
  'POST /v1/webhooks/:webhookId': 'webhooks.receive',
  'POST /v1/webhooks/:webhookId/secrets/rotate': 'webhooks.rotateSecret',
  'POST /v1/webhooks/:webhookId/sample': 'webhooks.sendSample',
  'GET /v1/inbound-requests/:requestId/body': 'webhooks.getRequestBody',
  'POST /v1/inbound-requests/:requestId/accept': 'webhooks.acceptRequest',
  'GET /v1/inspected-requests/:inspectedRequestId': 'inspectors.getRequest',
  'DELETE /v1/inspectors/:inspectorId/requests': 'inspectors.clearRequests',
  'GET /v1/service': 'service.get',
  'GET /v1/service/sign-in': 'service.getSignIn',
  'GET /v1/dlq': 'deadLetters.list',
  'GET /v1/dlq/groups': 'deadLetters.group',
  'GET /v1/dlq/:deadLetterId': 'deadLetters.get',
  'DELETE /v1/dlq/:deadLetterId': 'deadLetters.discard',
  'POST /v1/dlq/:deadLetterId/replay': 'deadLetters.replay',
  'POST /v1/dlq/replay': 'deadLetters.replayAll',
  'POST /v1/dlq/discard': 'deadLetters.discardAll',
  'GET /v1/dlq/replay': 'deadLetters.listBulkReplays',
  'GET /v1/dlq/replay/:bulkReplayId': 'deadLetters.getBulkReplay',
  'POST /v1/dlq/replay/:bulkReplayId/cancel': 'deadLetters.cancelBulkReplay',
  'POST /v1/deliveries/retry': 'deliveries.retryAll',
  'GET /v1/deliveries/retry': 'deliveries.listBulkRetries',
  'GET /v1/deliveries/retry/:bulkRetryId': 'deliveries.getBulkRetry',
  'POST /v1/deliveries/retry/:bulkRetryId/cancel': 'deliveries.cancelBulkRetry',
  'DELETE /v1/api-keys/:apiKeyId': 'apiKeys.revoke',
  'DELETE /v1/machine-credentials/:machineCredentialId': 'machineCredentials.revoke',
  'GET /v1/audit/export': 'audit.export',
  'GET /.well-known/jwks.json': 'oauth.getKeys',
  'GET /.well-known/oauth-authorization-server': 'oauth.getMetadata',
  'GET /v1/organisations/:organisationId/members': 'members.list',
  'PATCH /v1/organisations/:organisationId/members/:userId': 'members.update',
  'DELETE /v1/organisations/:organisationId/members/:userId': 'members.remove',
  'POST /v1/organisations/:organisationId/members/:userId/password-reset': 'members.makeResetLink',
  'POST /v1/organisations/:organisationId/ownership': 'members.handOverOwnership',
  'GET /v1/organisations/:organisationId/invitations': 'invitations.list',
  'POST /v1/organisations/:organisationId/invitations': 'invitations.create',
  'DELETE /v1/organisations/:organisationId/invitations/:invitationId': 'invitations.revoke',
  'DELETE /v1/organisations/:organisationId/members/:userId/factors': 'members.removeFactors',
  'POST /v1/setup': 'session.setUp',
  'GET /v1/sign-in': 'signIn.getWays',
  'POST /v1/sign-in': 'signIn.byPassword',
  'POST /v1/sign-in/second-factor': 'signIn.bySecondFactor',
  'POST /v1/sign-in/second-factor/options': 'signIn.requestSecondPasskey',
  'POST /v1/sign-in/passkey/options': 'signIn.requestPasskey',
  'POST /v1/sign-in/passkey': 'signIn.byPasskey',
  'POST /v1/sign-in/single-sign-on': 'signIn.startSingleSignOn',
  'POST /v1/session/authenticate/options': 'session.requestPasskey',
  'POST /v1/session/authenticate/single-sign-on': 'session.startSingleSignOn',
  'POST /v1/user/totp': 'factors.enrolTotp',
  'POST /v1/user/totp/confirm': 'factors.confirmTotp',
  'DELETE /v1/user/totp': 'factors.removeTotp',
  'GET /v1/user/factors': 'factors.get',
  'POST /v1/user/recovery-codes': 'factors.makeRecoveryCodes',
  'POST /v1/user/passkeys/options': 'passkeys.prepare',
  'POST /v1/user/passkeys': 'passkeys.add',
  'GET /v1/user/passkeys': 'passkeys.list',
  'PATCH /v1/user/passkeys/:passkeyId': 'passkeys.rename',
  'DELETE /v1/user/passkeys/:passkeyId': 'passkeys.remove',
  'DELETE /v1/session': 'session.signOut',
  'DELETE /v1/sessions/:sessionId': 'sessions.revoke',
  'PATCH /v1/user': 'user.rename',
  'POST /v1/user/password': 'user.changePassword',
  'POST /v1/password-reset': 'user.resetPassword',
};

const VERBS = { GET: 'get', POST: 'create', PATCH: 'update', DELETE: 'delete' } as const;

const camel = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9]+(\w)/g, (_, first: string) => first.toUpperCase());
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const singular = (text: string): string => text.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');

/**
 * Name of an endpoint's method. By the rule the resource is the path's first part. `GET /v1/x` is x.list, `POST /v1/x/:id/pause` is
 * x.pause, and `DELETE /v1/x/:id/parts/:partId` is x.deletePart.
 */
export function methodNameOf({ method, path, isList }: Named): MethodName {
  const [resource = '', name = ''] = (CHOSEN[`${method} ${path}`] ?? byRule({ method, path, isList })).split('.');
  return { resource, method: name };
}

function byRule({ method, path, isList }: Named): string {
  const parts = path
    .replace(/^\/v1\//, '/')
    .split('/')
    .filter(Boolean);
  const [first = '', ...others] = parts;
  const rest = others.filter((part) => !part.startsWith(':'));
  const isOne = parts.at(-1)?.startsWith(':') === true;
  const noun = rest
    .map((part, index) => capital(camel(isOne && index === rest.length - 1 ? singular(part) : part)))
    .join('');
  const resource = camel(first);
  if (method === 'GET') return `${resource}.${isList ? 'list' : 'get'}${noun}`;
  if (method !== 'POST' || rest.length === 0) return `${resource}.${VERBS[method]}${noun}`;
  const last = rest.at(-1) ?? '';
  const isCollection = last.endsWith('s') && last !== 'options' && !last.includes('-');
  return isCollection
    ? `${resource}.create${singular(noun)}`
    : `${resource}.${noun.charAt(0).toLowerCase()}${noun.slice(1)}`;
}
