import type { AuditAction } from '../../kernel/words/audit-actions.ts';
import type { Caller, RequestOrigin } from './caller.ts';
import type { Visit } from './scheme.ts';

/** The one who changes something, and where the request came from. The command line has no request. */
export type Doer = { id: string; from?: RequestOrigin | undefined };

export const COMMAND_LINE: Doer = { id: 'command line' };

export const doneBy = ({ principal, from }: Caller): Doer => ({ id: principal.id, from });

/** A person who is not signed in yet. */
export const doneFrom = (userId: string, visit: Visit): Doer => ({ id: userId, from: originOfVisit(visit) });

/** Where a visit comes from: without its cookies, which no log keeps. */
export const originOfVisit = ({ address, userAgent }: Visit): RequestOrigin =>
  userAgent === undefined ? { address } : { address, userAgent };

/**
 * A change that somebody made to who may do what. Services tell each one once, inside its transaction: a record of changes that is
 * stored there is stored exactly when the change is.
 */
type AuditedChange = {
  action: AuditAction;
  by: Doer;
  organisationId?: string | undefined;
  /** The id of what was changed. */
  target: string;
  /** Fields as they were and are since, or what else is worth knowing, without secrets. */
  before?: Readonly<Record<string, string>>;
  after?: Readonly<Record<string, string>>;
};

/** `database` is the transaction of the change. */
export type TellChange<Database> = (database: Database, change: AuditedChange) => Promise<void>;
