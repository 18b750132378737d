import type { AuditAction } from './audit-actions.ts';
import type { Scope } from './scopes.ts';

/** Kinds of resources whose changes a stream tells, by the scope which reads them: a caller without it is told of none. */
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

/** The kind of the resource that an entry of the audit log has changed; undefined where no stream tells of it. */
export function changedBy(action: AuditAction): ChangeKind | undefined {
  if (LOOKS.test(action)) return undefined;
  const resource = action.slice(0, action.indexOf('.'));
  return NAMES[resource] ?? CHANGE_KINDS.find((kind) => kind === resource);
}
