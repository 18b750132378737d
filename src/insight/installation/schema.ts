import { z } from 'zod';
import { time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { REASON_CODES, VERDICTS } from '../../kernel/rules/service-verdict.ts';

const versions = z
  .strictObject({
    posthorn: z.string().describe('Release of the process that answers.'),
    node: z.string().describe('Node.js that runs it.'),
    postgresql: z.string().exactOptional().describe('PostgreSQL. Absent while it does not answer.'),
    temporal: z
      .string()
      .exactOptional()
      .describe('Temporal server. Absent where it does not answer, or this process does not know it.'),
  })
  .describe('Programs that run here.');

const worker = z.strictObject({
  id: z.string().describe('Incarnation: one life of the process.'),
  role: z.literal('worker').describe('Processes that make deliveries have leases; others have none.'),
  host: z.string().exactOptional().describe('Name of its machine.'),
  pid: wholeNumber.exactOptional().describe('Its process number there.'),
  startedAt: time.describe('When it began.'),
  renewedAt: time.describe('When it last renewed its lease.'),
  isAlive: z.boolean().describe('Whether the lease holds. Its deliveries are taken over otherwise.'),
  reachesTemporal: z
    .boolean()
    .describe('Whether Temporal answered the worker when it asked last, which is up to 25 seconds ago.'),
});

const due = z.strictObject({
  state: z
    .enum(['first_attempt', 'retry', 'claimed', 'blocked'])
    .describe(
      'First attempts and retries wait for a worker, claimed deliveries have one, blocked deliveries belong to a subscription that is paused or disabled or whose circuit breaker is open.',
    ),
  deliveries: wholeNumber.describe('At least so many: 10,000 of each subscription and 100,000 in all are counted.'),
  oldestDueForMs: wholeNumber.describe('Time since the oldest of them was due.'),
});

const table = z.strictObject({
  name: z.string().describe('Table.'),
  bytes: wholeNumber.describe('Its size with its indexes.'),
  liveRows: wholeNumber.describe('Rows, as PostgreSQL estimates them.'),
  deadRows: wholeNumber.describe('Rows that autovacuum has not removed yet.'),
});

const check = z.strictObject({
  name: z.string().describe('Part.'),
  state: z
    .enum(['up', 'late', 'down', 'unknown'])
    .describe('Late has no answer within 2 s. Unknown is what depends on a part that is not up.'),
  reason: z.string().exactOptional().describe('Why it is down or late.'),
});

const verdictReason = z.strictObject({
  code: z
    .enum(REASON_CODES)
    .describe(
      'The reason for programs. Operators find what each means and what to do in docs/operate/troubleshooting.md.',
    ),
  verdict: z.enum(['degraded', 'down']).describe('The verdict that this reason alone would lead to.'),
  message: z.string().describe('The reason for people, as one plain sentence.'),
});

export const serviceAnswer = z
  .strictObject({
    verdict: z
      .enum(VERDICTS)
      .describe(
        'State of the service as a whole. `down`: messages are refused, or nothing is delivered. `degraded`: everything works, but late or with less protection.',
      ),
    reasons: z
      .array(verdictReason)
      .describe('Everything that keeps the service from being healthy, the worst first. Empty if it is healthy.'),
    versions,
    workers: z
      .array(worker)
      .describe('Processes that make deliveries, the newest first. Empty while PostgreSQL does not answer.'),
    due: z.array(due).describe('Deliveries whose time has come, by state. A state without any is left out.'),
    oldestScheduledForMs: wholeNumber.describe('Time since the oldest scheduled message was due; 0 without one.'),
    tables: z.array(table).describe('The largest tables, the largest first.'),
    newestMigration: z.string().describe('Migration that was applied last.'),
    rowSecurity: z.boolean().describe('Whether PostgreSQL keeps tenants apart by itself.'),
    checks: z.array(check).describe('Parts that /readyz looks at, and Temporal if this process has its address.'),
    lookedAt: time.describe('When this was read: a process reads it every 5 seconds at most.'),
  })
  .meta({ typeName: 'Service' });
export type ServiceState = z.output<typeof serviceAnswer>;

export const signInSettingsAnswer = z
  .strictObject({
    password: z
      .strictObject({ isForOwnersAlone: z.boolean().describe('Everybody else comes by single sign-on.') })
      .describe('Signing in by password.'),
    passkeys: z
      .strictObject({
        isPossible: z.boolean().describe('Browsers take host names alone, no IP addresses.'),
        host: z.string().exactOptional().describe('Host that passkeys belong to. Another one loses them all.'),
      })
      .describe('Signing in by passkey.'),
    authenticatorApps: z.literal(true).describe('People may add an authenticator app as their second factor.'),
    singleSignOn: z
      .strictObject({
        name: z.string().describe('Name on the button.'),
        issuer: z.string().describe('OpenID provider.'),
        clientId: z.string().describe('Id of this service there.'),
        groupsClaim: z.string().describe('Claim that has the groups of a person.'),
        groupRoles: wholeNumber.describe('So many groups give roles.'),
        isEmailTrusted: z.boolean().describe('Addresses count as proven, though the provider does not say so.'),
      })
      .exactOptional()
      .describe('Absent where no provider is set.'),
    sessions: z
      .strictObject({
        idleMs: wholeNumber.describe('A session ends when it is not used for so long.'),
        lifeMs: wholeNumber.describe('A session ends so long after signing in.'),
        freshMs: wholeNumber.describe('Dangerous actions ask again for a proof after so long.'),
        isOnHttpsAlone: z.boolean().describe('Cookies of sessions travel by https alone.'),
      })
      .describe('How long people stay signed in.'),
    mail: z
      .strictObject({
        isOn: z.boolean().describe('Whether links are sent; they are only shown otherwise.'),
        from: z.string().exactOptional().describe('Sender.'),
      })
      .describe('Mails with invitations and links for new passwords.'),
  })
  .meta({ typeName: 'SignInSettings' });
export type SignInSettings = z.output<typeof signInSettingsAnswer>;
