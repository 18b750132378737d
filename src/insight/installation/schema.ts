import { z } from 'zod';
import { time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { REASON_CODES, VERDICTS } from '../../kernel/rules/service-verdict.ts';

const versions = z
  .strictObject({
    posthorn: z.string().describe('Release of the process that responds.'),
    node: z.string().describe('Version of Node.js.'),
    postgresql: z.string().exactOptional().describe('Version of PostgreSQL. Absent while it is not available.'),
    temporal: z
      .string()
      .exactOptional()
      .describe(
        'Version of the Temporal server. Absent if it is not available or this process does not have its address.',
      ),
  })
  .describe('Versions of the programs in use.');

const worker = z.strictObject({
  id: z.string().describe('Id of the worker. A restarted process has a new one.'),
  role: z.literal('worker').describe('Only processes that send deliveries have leases.'),
  host: z.string().exactOptional().describe('Host name.'),
  pid: wholeNumber.exactOptional().describe('Process id on the host.'),
  startedAt: time.describe('When it started.'),
  renewedAt: time.describe('When it last renewed its lease.'),
  isAlive: z.boolean().describe('Whether the lease is valid. If not, other workers take over its deliveries.'),
  reachesTemporal: z.boolean().describe("Whether Temporal responded to the worker's last check, up to 25 seconds ago."),
});

const due = z.strictObject({
  state: z
    .enum(['first_attempt', 'retry', 'claimed', 'blocked'])
    .describe(
      'First attempts and retries wait for a worker, claimed deliveries have one, blocked deliveries belong to a subscription that is paused or disabled or whose circuit breaker is open.',
    ),
  deliveries: wholeNumber.describe('Number of deliveries, counted up to 10,000 per subscription and 100,000 in all.'),
  oldestDueForMs: wholeNumber.describe('Milliseconds since the oldest of them was due.'),
});

const table = z.strictObject({
  name: z.string().describe('Name of the table.'),
  bytes: wholeNumber.describe('Size including indexes.'),
  liveRows: wholeNumber.describe('Number of rows, as estimated by PostgreSQL.'),
  deadRows: wholeNumber.describe('Rows that autovacuum has not removed yet.'),
});

const check = z.strictObject({
  name: z.string().describe('Component that was checked.'),
  state: z
    .enum(['up', 'late', 'down', 'unknown'])
    .describe('`late`: no response within 2 s. `unknown`: depends on a component that is not up.'),
  reason: z.string().exactOptional().describe('Why it is down or late.'),
});

const verdictReason = z.strictObject({
  code: z.enum(REASON_CODES).describe('Reason code. docs/operate/troubleshooting.md explains each one and what to do.'),
  verdict: z.enum(['degraded', 'down']).describe('Verdict that this reason alone would cause.'),
  message: z.string().describe('Reason in one sentence.'),
});

export const serviceAnswer = z
  .strictObject({
    verdict: z
      .enum(VERDICTS)
      .describe(
        'State of the service. `down`: messages are refused, or nothing is delivered. `degraded`: everything works, but late or with less protection.',
      ),
    reasons: z
      .array(verdictReason)
      .describe('All reasons why the service is not healthy, worst first. Empty if it is healthy.'),
    versions,
    workers: z
      .array(worker)
      .describe('Processes that send deliveries, newest first. Empty while PostgreSQL is not available.'),
    due: z.array(due).describe('Due deliveries by state. States without deliveries are left out.'),
    oldestScheduledForMs: wholeNumber.describe(
      'Milliseconds since the oldest overdue scheduled message was due; 0 if there is none.',
    ),
    tables: z.array(table).describe('The largest tables, largest first.'),
    newestMigration: z.string().describe('Latest migration that was applied.'),
    rowSecurity: z.boolean().describe('Whether PostgreSQL isolates tenants with row-level security.'),
    checks: z.array(check).describe('Components checked by /readyz, and Temporal if this process has its address.'),
    lookedAt: time.describe('When this was read. Each process reads it at most every 5 seconds.'),
  })
  .meta({ typeName: 'Service' });
export type ServiceState = z.output<typeof serviceAnswer>;

export const signInSettingsAnswer = z
  .strictObject({
    password: z
      .strictObject({
        isForOwnersAlone: z
          .boolean()
          .describe('Whether only owners can sign in with a password and everybody else must use single sign-on.'),
      })
      .describe('Sign-in with a password.'),
    passkeys: z
      .strictObject({
        isPossible: z
          .boolean()
          .describe('Whether passkeys can be used. Browsers require a host name, not an IP address.'),
        host: z
          .string()
          .exactOptional()
          .describe('Host that passkeys belong to. If the host changes, all passkeys stop working.'),
      })
      .describe('Sign-in with a passkey.'),
    authenticatorApps: z.literal(true).describe('Users can add an authenticator app as a second factor.'),
    singleSignOn: z
      .strictObject({
        name: z.string().describe('Name on the sign-in button.'),
        issuer: z.string().describe('Issuer of the OpenID provider.'),
        clientId: z.string().describe('Client id of this service at the provider.'),
        groupsClaim: z.string().describe('Claim with the groups of a user.'),
        groupRoles: wholeNumber.describe('Number of groups that are mapped to roles.'),
        isEmailTrusted: z
          .boolean()
          .describe('Whether email addresses count as verified even if the provider does not say so.'),
      })
      .exactOptional()
      .describe('Single sign-on. Absent if no provider is configured.'),
    sessions: z
      .strictObject({
        idleMs: wholeNumber.describe('A session ends after this many milliseconds without use.'),
        lifeMs: wholeNumber.describe('A session ends this many milliseconds after sign-in.'),
        freshMs: wholeNumber.describe(
          'Dangerous actions require a new proof of identity after this many milliseconds.',
        ),
        isOnHttpsAlone: z.boolean().describe('Whether session cookies are only sent over https.'),
      })
      .describe('How long users stay signed in.'),
    mail: z
      .strictObject({
        isOn: z
          .boolean()
          .describe('Whether emails are sent. If not, links are only shown to the person who creates them.'),
        from: z.string().exactOptional().describe('Sender address.'),
      })
      .describe('Emails with invitations and password reset links.'),
  })
  .meta({ typeName: 'SignInSettings' });
export type SignInSettings = z.output<typeof signInSettingsAnswer>;
