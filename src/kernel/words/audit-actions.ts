import type { Scope } from './rights.ts';

/** Everything that the audit log records: the resource, and what happened to it. */
export const AUDIT_ACTIONS = [
  'channel.created',
  'channel.updated',
  'channel.deleted',
  'subscription.created',
  'subscription.updated',
  'subscription.deleted',
  'subscription.secret_viewed',
  'subscription.secret_rotated',
  'workflow.created',
  'workflow.updated',
  'workflow.activated',
  'workflow.paused',
  'workflow.deleted',
  'workflow.runs_cancelled',
  'run.started',
  'run.cancelled',
  'run.retried',
  'approval.approved',
  'approval.rejected',
  'connection.created',
  'connection.updated',
  'connection.deleted',
  'connection.tested',
  'connection.authorization_started',
  'connection.authorized',
  'secret.created',
  'secret.updated',
  'secret.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secrets_viewed',
  'webhook.secret_rotated',
  'webhook.sample_sent',
  'webhook.request_accepted',
  'inspector.created',
  'inspector.updated',
  'inspector.deleted',
  'inspector.requests_cleared',
  'marker.created',
  'marker.deleted',
  'message.erased',
  'message.cancelled',
  'message.replayed',
  'message.exported',
  'delivery.exported',
  'dead_letter.exported',
  'run.exported',
  'audit.exported',
  'delivery.retried',
  'delivery.cancelled',
  'dead_letter.replayed',
  'dead_letter.discarded',
  'dead_letter.bulk_discarded',
  'replay.started',
  'replay.cancelled',
  'setup.finished',
  'user.created',
  'user.renamed',
  'user.password_changed',
  'user.password_reset',
  'user.reset_link_created',
  'identity.linked',
  'identity.forgotten',
  'user.factor_added',
  'user.factor_renamed',
  'user.factor_removed',
  'user.factors_removed',
  'user.recovery_codes_generated',
  'user.recovery_code_used',
  'member.role_changed',
  'member.removed',
  'invitation.created',
  'invitation.revoked',
  'invitation.accepted',
  'session.started',
  'session.revoked',
  'session.others_revoked',
  'session.signed_out',
  'organisation.created',
  'organisation.updated',
  'app.created',
  'app.updated',
  'machine_credential.created',
  'machine_credential.updated',
  'machine_credential.rotated',
  'machine_credential.revoked',
  'token.issued',
  'api_key.created',
  'api_key.updated',
  'api_key.rotated',
  'api_key.revoked',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Kinds of resources whose changes a stream reports, by the scope that reads them: a caller without the scope gets none of them. */
export const SCOPE_OF_CHANGE = {
  message: 'messages:read',
  delivery: 'deliveries:read',
  deadLetter: 'dlq:read',
  replay: 'dlq:read',
  channel: 'channels:read',
  subscription: 'subscriptions:read',
  workflow: 'workflows:read',
  run: 'workflows:read',
  approval: 'workflows:read',
  webhook: 'webhooks:read',
  connection: 'credentials:write',
  secret: 'credentials:write',
  apiKey: 'credentials:write',
  machineCredential: 'credentials:write',
} as const satisfies Readonly<Record<string, Scope>>;

export type ChangeKind = keyof typeof SCOPE_OF_CHANGE;

export const CHANGE_KINDS = [
  'message',
  'delivery',
  'deadLetter',
  'replay',
  'channel',
  'subscription',
  'workflow',
  'run',
  'approval',
  'webhook',
  'connection',
  'secret',
  'apiKey',
  'machineCredential',
] as const satisfies readonly ChangeKind[];

/** Resources whose names in the audit log differ from those here. */
const NAMES: Readonly<Record<string, ChangeKind>> = {
  dead_letter: 'deadLetter',
  api_key: 'apiKey',
  machine_credential: 'machineCredential',
};

/** Actions that change nothing. */
const LOOKS = /\.(secret_viewed|secrets_viewed|sample_sent|exported)$/;

/** The kind of the resource that an audit log entry has changed; undefined if no stream reports it. */
export function changedBy(action: AuditAction): ChangeKind | undefined {
  if (LOOKS.test(action)) return undefined;
  const resource = action.slice(0, action.indexOf('.'));
  return NAMES[resource] ?? CHANGE_KINDS.find((kind) => kind === resource);
}

type Fields = Readonly<Record<string, unknown>>;

/** The named fields of a resource before and after a change. */
export const changedParts = (
  before: Fields,
  after: Fields,
  names: readonly string[],
): { before: Record<string, unknown>; after: Record<string, unknown> } => ({
  before: pick(before, names),
  after: pick(after, names),
});

const pick = (fields: Fields, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));
