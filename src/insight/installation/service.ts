import type { Dependencies } from '../../platform/dependencies.ts';
import type { TenantCaller } from '../../api/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import { judgeService } from '../../kernel/rules/service-verdict.ts';
import { VERSION } from '../../kernel/words/version.ts';
import type { ServiceState, SignInSettings } from './schema.ts';
import { readFacts, readWorkers } from './store.ts';

/** Reuses the state for this long, so that several viewers cost one read. */
const REUSE_MS = 5_000;
const TABLES = 15;
/** How long a database that failed its check still has to respond: a standby does, an unavailable server does not. */
const UNFIT_DATABASE_MS = 250;

type Backlog = readonly { state: string; rows: number; age: number }[];
type Tables = readonly { name: string; bytes: number; live: number; dead: number }[];

type Collaborators = {
  /** How long users stay signed in. */
  lifetimes: Pick<SignInSettings['sessions'], 'idleMs' | 'lifeMs' | 'freshMs'>;
  /** The organisation created at the first start. */
  firstOrganisation(): Promise<string | undefined>;
  readBacklog(): Promise<Backlog>;
  /** Seconds since the oldest scheduled message was due. */
  readWaiting(): Promise<number>;
  readTables(): Promise<Tables>;
  /** Seconds since the oldest delivery was due whose delay is caused only by the service. */
  readOldestDue(): Promise<number>;
  /** Runs the checks of /readyz and of Temporal, each with a short deadline. */
  look(): Promise<{
    parts: Readonly<Record<string, 'up' | 'late' | 'down' | 'unknown'>>;
    reasons: Readonly<Record<string, string>>;
  }>;
  /** Version of the Temporal server at the last check; undefined if it did not respond. */
  temporalVersion(): string | undefined;
};

/** The state of the service for its operators: admins and owners of the first organisation. */
export type Installation = {
  /** Throws FORBIDDEN for users of other organisations. */
  state(caller: TenantCaller): Promise<ServiceState>;
  /** Throws FORBIDDEN for users of other organisations. */
  signIn(caller: TenantCaller): Promise<SignInSettings>;
};

export function createInstallation(
  { pool, clock, config }: Pick<Dependencies, 'pool' | 'clock' | 'config'>,
  collaborators: Collaborators,
): Installation {
  let latest: { at: number; state: Promise<ServiceState> } | undefined;
  let operator: string | undefined;

  // Hosts, load and sizes across all tenants are only for the operator.
  const requireOperator = async ({ organisationId }: TenantCaller): Promise<void> => {
    // The first organisation never changes, so its id is cached: an operator with a cached session can read the state
    // while PostgreSQL is down.
    operator ??= await collaborators.firstOrganisation();
    if (operator !== organisationId)
      throw new ApiError('FORBIDDEN', 'Only the organisation that operates this service can see its state');
  };

  const readDatabase = async () => {
    const [facts, workers, backlog, waiting, oldestDue, tables] = await Promise.all([
      readFacts(pool),
      readWorkers(pool),
      collaborators.readBacklog(),
      collaborators.readWaiting(),
      collaborators.readOldestDue(),
      collaborators.readTables(),
    ]);
    return { facts, workers, backlog, oldestScheduledMs: msOf(waiting), oldestDueMs: msOf(oldestDue), tables };
  };

  const read = async (): Promise<ServiceState> => {
    const reading = readDatabase();
    // Thrown below if the database is up. Otherwise the failure becomes a reason of the verdict.
    const orNothing = reading.catch(() => undefined);
    const look = await collaborators.look();
    const isUp = look.parts['database'] === 'up';
    const found = isUp ? await reading : await Promise.race([orNothing, nothingAfter(UNFIT_DATABASE_MS)]);
    const temporal = collaborators.temporalVersion();
    const { facts, workers = [], backlog = [], tables = [], oldestScheduledMs = 0 } = found ?? {};
    return {
      ...judgeService({ parts: look.parts, reasons: look.reasons, read: found }),
      versions: {
        posthorn: VERSION,
        node: process.versions.node,
        ...(facts && { postgresql: facts.postgresql }),
        ...(temporal !== undefined && { temporal }),
      },
      workers: workers.map(({ host, pid, id, startedAt, renewedAt, isAlive, reachesTemporal }) => ({
        id,
        role: 'worker' as const,
        startedAt,
        renewedAt,
        isAlive,
        reachesTemporal,
        ...(host !== null && { host }),
        ...(pid !== null && { pid }),
      })),
      due: backlog.map(({ state, rows, age }) => ({
        // `as`: the query returns no other states.
        state: state as ServiceState['due'][number]['state'],
        deliveries: rows,
        oldestDueForMs: msOf(age),
      })),
      oldestScheduledForMs: oldestScheduledMs,
      tables: tables
        .toSorted((one, other) => other.bytes - one.bytes)
        .slice(0, TABLES)
        .map(({ name, bytes, live, dead }) => ({ name, bytes, liveRows: live, deadRows: dead })),
      newestMigration: facts?.newestMigration ?? '',
      rowSecurity: look.parts['rowSecurity'] === 'up',
      checks: Object.entries(look.parts).map(([name, state]) => {
        const reason = look.reasons[name];
        return { name, state, ...(reason !== undefined && { reason }) };
      }),
      lookedAt: clock(),
    };
  };

  return {
    async state(caller) {
      await requireOperator(caller);
      if (latest === undefined || performance.now() - latest.at > REUSE_MS) {
        const state = read();
        latest = { at: performance.now(), state };
        // A failed read is not cached.
        state.catch(() => (latest = undefined));
      }
      return latest.state;
    },

    async signIn(caller) {
      await requireOperator(caller);
      const { singleSignOn: provider, mail, publicBaseUrl, dashboardUrl } = config;
      const { hostname } = new URL(dashboardUrl ?? publicBaseUrl);
      const isAddress = /^[\d.]+$|^\[/.test(hostname);
      return {
        password: { isForOwnersAlone: provider?.isOnly === true },
        passkeys: { isPossible: !isAddress, ...(!isAddress && { host: hostname }) },
        authenticatorApps: true,
        ...(provider && {
          singleSignOn: {
            name: provider.name,
            issuer: provider.issuer,
            clientId: provider.clientId,
            groupsClaim: provider.groupsClaim,
            groupRoles: provider.groupRoles.length,
            isEmailTrusted: provider.isEmailTrusted,
          },
        }),
        sessions: {
          ...collaborators.lifetimes,
          isOnHttpsAlone: publicBaseUrl.startsWith('https://'),
        },
        mail: { isOn: mail !== undefined, ...(mail && { from: mail.from }) },
      };
    },
  };
}

const msOf = (seconds: number): number => Math.max(0, Math.round(seconds * 1_000));

const nothingAfter = (ms: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
