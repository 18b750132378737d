import { DUPLICATE_CODES, failureCodes } from '../../../platform/db/failures.ts';
import { execute, type Executor } from '../../../platform/db/transaction.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { timeOfId } from '../../../kernel/values/ids.ts';
import type { TenantCaller, EnvironmentCaller } from '../../../api/caller.ts';
import type { AuditEntry, Told } from './schema.ts';

/** The actor, and where they acted. */
export type AuditActor = Pick<AuditEntry, 'organisationId' | 'appId' | 'environmentId' | 'actor' | 'from'>;

export type RecordAudit = (db: Executor, doer: AuditActor | TenantCaller, told: Told) => Promise<void>;

/**
 * Takes the next position in the organisation's chain and adds the entry there, in one statement. It locks the row of
 * the head, and an UPDATE that has waited for the lock continues from the values the other transaction wrote.
 */
const RECORD = `
  WITH head AS (
    INSERT INTO audit_heads AS head (organisation_id, position, hash)
    VALUES ($1, 1, sha256(convert_to($7, 'UTF8')))
    ON CONFLICT (organisation_id) DO UPDATE
      SET position = head.position + 1, hash = sha256(head.hash || convert_to($7, 'UTF8'))
    RETURNING position, hash
  )
  INSERT INTO audit_entries (id, organisation_id, environment_id, actor_id, action, target_id, position, entry, hash)
  SELECT $2, $1, $3, $4, $5, $6, head.position, $7, head.hash FROM head`;

/**
 * Writes audit entries. Call it last in the transaction of the change: the entry is stored if and only if the change
 * is, and changes of one organisation wait for each other only from here to the commit.
 */
export const createRecordAudit =
  ({ newId, clock }: Pick<Dependencies, 'newId' | 'clock'>): RecordAudit =>
  async (db, by, { action, target, before, after }) => {
    const { organisationId, appId, environmentId, actor, from } = 'principal' in by ? doerOf(by) : by;
    const id = newId('auditEntry');
    const entry = JSON.stringify({
      id,
      // The time of the id: order, `since` and `until` of the list go by ids, and reading the clock twice could give
      // another millisecond.
      at: timeOfId('auditEntry', id) ?? clock(),
      organisationId,
      appId,
      environmentId,
      actor,
      action,
      target,
      from,
      ...(before !== undefined && { before: redact(before) }),
      ...(after !== undefined && { after: redact(after) }),
    });
    const values = [organisationId, id, environmentId ?? null, actor.id ?? null, action, target.id, entry];
    await execute(db, RECORD, values).catch((failure: unknown) => {
      // The service itself never writes a duplicate, so somebody has inserted an entry manually.
      if (!failureCodes(failure).codes.some((code) => DUPLICATE_CODES.has(code))) throw failure;
      throw new Error(`${organisationId} has an audit entry beyond the end of its chain. Run posthorn audit verify`);
    });
  };

/** The actor of a request, for an entry that is written after others have responded. */
export const doerOf = (caller: TenantCaller): AuditActor => ({
  organisationId: caller.organisationId,
  ...(caller.level === 'environment' && placeOf(caller)),
  actor: { kind: caller.principal.kind, id: caller.principal.id },
  ...(caller.from !== undefined && { from: caller.from }),
});

const placeOf = ({ appId, environmentId }: EnvironmentCaller) => ({ appId, environmentId });

/** Parts of requests whose values may be secrets of a receiver. Only their names are kept. */
const PARTS: ReadonlySet<string> = new Set(['headers', 'query', 'auth']);
const SECRET_NAMES = /secret|password|^key$|token/i;
/** Names of secrets within a resource, where `key` is an expression and objects are searched recursively. */
const INNER_SECRET_NAMES = /secret|password|token|^api-?key$/i;
const HIDDEN = '(not kept)';
/** A value that only refers to a secret, possibly after an authentication scheme, is not secret. */
const TEMPLATE = /^(?:\w+ )?\{\{[^{}]*\}\}$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns fields of a resource as the audit log may store them: without secrets, and with only the names of request
 * headers, at any depth.
 */
export const redact = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, SECRET_NAMES.test(name) ? HIDDEN : redactValue(name, value)]),
  );

function redactValue(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => redactValue(name, item));
  if (typeof value !== 'object' || value === null || value instanceof Date)
    return INNER_SECRET_NAMES.test(name) && typeof value === 'string' ? withoutText(value) : value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([inner, own]) => [inner, PARTS.has(name) ? partOf(inner, own) : redactValue(inner, own)]),
  );
}

/** `type` of `auth` names the method and is not secret. */
const partOf = (name: string, value: unknown): unknown =>
  typeof value === 'string' ? (name === 'type' ? value : withoutText(value)) : HIDDEN;

const withoutText = (value: string): string => (TEMPLATE.test(value) ? value : HIDDEN);
