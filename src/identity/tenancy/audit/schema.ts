import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { enumQuery, pageQuery, windowQuery } from '../../../api/http/reading/query.ts';
import { AUDIT_ACTIONS } from '../../../kernel/words/audit-actions.ts';

export const auditFilterQuery = z
  .strictObject({
    action: enumQuery(AUDIT_ACTIONS).optional().describe('Only this action.'),
    actorId: z.string().optional().describe('Only by this principal.'),
    targetId: z.string().optional().describe('Only of this resource.'),
    ...windowQuery,
  })
  .meta({ typeName: 'AuditFilter' });
export type AuditFilter = z.output<typeof auditFilterQuery>;

export const listAuditQuery = pageQuery
  .extend({
    ...auditFilterQuery.shape,
    /** `false` leaves `before` and `after` out: each may hold a whole definition. */
    changes: enumQuery(['true', 'false'])
      .optional()
      .describe('With `false` the changed fields of each entry are left out, and a page stays small.'),
  })
  .meta({ typeName: 'ListAudit' });
export type ListAudit = z.output<typeof listAuditQuery>;

/** The ones who can change something: principals of the API, the operator's command line, and the Temporal UI. */
const ACTOR_KINDS = ['apiKey', 'machineCredential', 'person', 'commandLine', 'temporal'] as const;

const changed = z.record(z.string(), z.unknown());

/** The part of an entry that is hashed, byte for byte as it is stored. */
const told = {
  id: idOf('auditEntry'),
  at: time.describe('When it was done.'),
  organisationId: idOf('organisation').describe('Organisation whose log this is.'),
  appId: idOf('app').exactOptional().describe('App of the changed resource. Absent above the apps.'),
  environmentId: idOf('environment').exactOptional().describe('Environment of it. Absent above the environments.'),
  actor: z
    .strictObject({
      kind: z.enum(ACTOR_KINDS).describe('A principal of the API, the command line, or the Temporal UI.'),
      id: z.string().exactOptional().describe('Id of the principal. The command line and the Temporal UI have none.'),
    })
    .describe('The one who did it.'),
  action: z.enum(AUDIT_ACTIONS).describe('Resource and verb: `channel.updated`.'),
  target: z.strictObject({ id: z.string().describe('Id of the resource.') }).describe('The resource it was done to.'),
  from: z
    .strictObject({
      address: z.string().describe('IP address of the caller.'),
      userAgent: z.string().exactOptional().describe('Its `User-Agent`, the first 300 characters.'),
    })
    .exactOptional()
    .describe('Where the request came from. Absent where none did.'),
  before: changed
    .exactOptional()
    .describe('Changed fields as they were, without secrets. Absent in a list with `changes=false`.'),
  after: changed
    .exactOptional()
    .describe('Changed fields as they are since, without secrets. Absent in a list with `changes=false`.'),
};

export const auditEntryAnswer = z
  .strictObject({
    ...told,
    position: z.int().min(1).describe('Its place in the chain of its organisation.'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe(
        'SHA-256, in hexadecimal, of the hash before it and of this entry (docs/operate/keys-and-secrets.md, Verify the audit log).',
      ),
  })
  .meta({ typeName: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntryAnswer>;

/** One line of an export: `entry` stands there byte for byte as it was hashed. */
export const auditLine = z
  .strictObject({
    position: auditEntryAnswer.shape.position,
    hash: auditEntryAnswer.shape.hash,
    entry: z.strictObject(told).describe('The entry, byte for byte as it was hashed.'),
  })
  .meta({ typeName: 'AuditLine' });

/** An entry as its author tells it; the log adds the rest. */
export type Told = Pick<AuditEntry, 'action' | 'target' | 'before' | 'after'>;
