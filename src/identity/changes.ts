import type { AuditAction } from '../kernel/audit-actions.ts';

/**
 * A change that somebody made to who may do what. Services tell each one once, inside its transaction: a record of changes that is
 * stored there is stored exactly when the change is.
 */
export type Change = {
  action: AuditAction;
  /** The id of who did it; `command line` for the operator. */
  by: string;
  organisationId?: string | undefined;
  /** The id of what was changed. */
  target: string;
  /** More that is worth knowing, without secrets. */
  details?: Readonly<Record<string, string>>;
};

/** `database` is the transaction of the change. */
export type TellChange<Database> = (database: Database, change: Change) => Promise<void>;
