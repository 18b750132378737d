import { DUPLICATE_CODES, failureCodes } from '../../../platform/db/failures.ts';
import { execute, type Executor } from '../../../platform/db/transaction.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { timeOfId } from '../../../kernel/values/ids.ts';
import type { TenantCaller, EnvironmentCaller } from '../../../api/caller.ts';
import type { AuditEntry, Told } from './schema.ts';

/** The one who did something, and where it was done. */
export type AuditActor = Pick<AuditEntry, 'organisationId' | 'appId' | 'environmentId' | 'actor' | 'from'>;

export type RecordAudit = (db: Executor, doer: AuditActor | TenantCaller, told: Told) => Promise<void>;

/**
 * Takes the next place in the organisation's chain and adds the entry there, in one statement: the head's row is locked, and an UPDATE
 * that has waited for it goes on from what the other one has left.
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
 * Writer of audit entries. Called last in the transaction that makes the change: the entry is there exactly when the change is, and
 * changes of one organisation wait for each other from here to their commits only.
 */
export const createRecordAudit =
  ({ newId, clock }: Pick<Dependencies, 'newId' | 'clock'>): RecordAudit =>
  async (db, by, { action, target, before, after }) => {
    const { organisationId, appId, environmentId, actor, from } = 'principal' in by ? doerOf(by) : by;
    const id = newId('auditEntry');
    const entry = JSON.stringify({
      id,
      // The id's own time: the list's order, `since` and `until` go by ids, and a clock read twice may tell two milliseconds.
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
      // No change makes a duplicate here: somebody has written by hand.
      if (!failureCodes(failure).codes.some((code) => DUPLICATE_CODES.has(code))) throw failure;
      throw new Error(`${organisationId} has an audit entry behind the end of its chain: run posthorn audit verify`);
    });
  };

/** The one who asks, for an entry that is written when others have answered. */
export const doerOf = (caller: TenantCaller): AuditActor => ({
  organisationId: caller.organisationId,
  ...(caller.level === 'environment' && placeOf(caller)),
  actor: { kind: caller.principal.kind, id: caller.principal.id },
  ...(caller.from !== undefined && { from: caller.from }),
});

const placeOf = ({ appId, environmentId }: EnvironmentCaller) => ({ appId, environmentId });

/** Parts of requests whose values may be secrets of a receiver; their names alone are kept. */
const PARTS: ReadonlySet<string> = new Set(['headers', 'query', 'auth']);
const SECRET_NAMES = /secret|password|^key$|token/i;
/** The same within a resource, where `key` is an expression and objects are looked into. */
const INNER_SECRET_NAMES = /secret|password|token|^api-?key$/i;
const HIDDEN = '(not kept)';
/** A value that only names a secret, with the scheme before it, is no secret itself. */
const TEMPLATE = /^(?:\w+ )?\{\{[^{}]*\}\}$/;

type Fields = Readonly<Record<string, unknown>>;

/** The named fields of a resource as the audit log may keep them: no secret, and of request headers the names only, however deep. */
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

/** `type` of `auth` says how, and is no secret. */
const partOf = (name: string, value: unknown): unknown =>
  typeof value === 'string' ? (name === 'type' ? value : withoutText(value)) : HIDDEN;

const withoutText = (value: string): string => (TEMPLATE.test(value) ? value : HIDDEN);
