import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { enumQuery, pageQuery, windowQuery } from '../../../api/http/reading/query.ts';
import { AUDIT_ACTIONS } from '../../../kernel/words/audit-actions.ts';

export const auditFilterQuery = z
  .strictObject({
    action: enumQuery(AUDIT_ACTIONS).optional().describe('Only entries with this action.'),
    actorId: z.string().optional().describe('Only entries by this principal.'),
    targetId: z.string().optional().describe('Only entries about this resource.'),
    ...windowQuery,
  })
  .meta({ typeName: 'AuditFilter' });
export type AuditFilter = z.output<typeof auditFilterQuery>;

export const listAuditQuery = pageQuery
  .extend({
    ...auditFilterQuery.shape,
    /** `false` omits `before` and `after`, each of which can hold an entire definition. */
    changes: enumQuery(['true', 'false'])
      .optional()
      .describe('`false` omits the changed fields of each entry, which keeps pages small.'),
  })
  .meta({ typeName: 'ListAudit' });
export type ListAudit = z.output<typeof listAuditQuery>;

/** Whoever can change something: principals of the API, the command line, and the Temporal UI. */
const ACTOR_KINDS = ['apiKey', 'machineCredential', 'person', 'commandLine', 'temporal'] as const;

const changed = z.record(z.string(), z.unknown());

/** The part of an entry that is hashed, byte for byte as stored. */
const told = {
  id: idOf('auditEntry'),
  at: time.describe('When the change was made.'),
  organisationId: idOf('organisation').describe('Organisation whose log this is.'),
  appId: idOf('app')
    .exactOptional()
    .describe('App of the changed resource. Absent if the resource does not belong to an app.'),
  environmentId: idOf('environment')
    .exactOptional()
    .describe('Environment of the changed resource. Absent if it does not belong to an environment.'),
  actor: z
    .strictObject({
      kind: z.enum(ACTOR_KINDS).describe('A principal of the API, the command line, or the Temporal UI.'),
      id: z.string().exactOptional().describe('Id of the principal. Absent for the command line and the Temporal UI.'),
    })
    .describe('Who made the change.'),
  action: z.enum(AUDIT_ACTIONS).describe('Resource and verb, such as `channel.updated`.'),
  target: z.strictObject({ id: z.string().describe('Id of the resource.') }).describe('The changed resource.'),
  from: z
    .strictObject({
      address: z.string().describe('IP address of the caller.'),
      userAgent: z.string().exactOptional().describe('First 300 characters of its `User-Agent`.'),
    })
    .exactOptional()
    .describe('Where the request came from. Absent if there was no request.'),
  before: changed
    .exactOptional()
    .describe('Changed fields before the change, without secrets. Absent in a list with `changes=false`.'),
  after: changed
    .exactOptional()
    .describe('Changed fields after the change, without secrets. Absent in a list with `changes=false`.'),
};

export const auditEntryAnswer = z
  .strictObject({
    ...told,
    position: z.int().min(1).describe('Position in the hash chain of the organisation.'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe(
        'SHA-256, in hexadecimal, of the previous hash and this entry (docs/operate/keys-and-secrets.md, Verify the audit log).',
      ),
  })
  .meta({ typeName: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntryAnswer>;

/** One line of an export. `entry` is byte for byte what was hashed. */
export const auditLine = z
  .strictObject({
    position: auditEntryAnswer.shape.position,
    hash: auditEntryAnswer.shape.hash,
    entry: z.strictObject(told).describe('The entry, byte for byte as it was hashed.'),
  })
  .meta({ typeName: 'AuditLine' });

/** What the author of an entry provides; the audit log adds the rest. */
export type Told = Pick<AuditEntry, 'action' | 'target' | 'before' | 'after'>;
