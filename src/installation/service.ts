import type { Dependencies } from '../dependencies.ts';
import type { TenantCaller } from '../caller/caller.ts';
import { ApiError } from '../kernel/errors/api-error.ts';
import { VERSION } from '../kernel/words/version.ts';
import type { ServiceState, SignInSettings } from './schema.ts';
import { readFacts, readWorkers } from './store.ts';

/** Several people who look at the page cost one look. */
const REUSE_MS = 5_000;
const TABLES = 15;

type Backlog = readonly { state: string; rows: number; age: number }[];
type Tables = readonly { name: string; bytes: number; live: number; dead: number }[];

type Collaborators = {
  /** How long people stay signed in. */
  lifetimes: Pick<SignInSettings['sessions'], 'idleMs' | 'lifeMs' | 'freshMs'>;
  /** The organisation that the first start has made. */
  firstOrganisation(): Promise<string | undefined>;
  readBacklog(): Promise<Backlog>;
  /** Seconds since the oldest scheduled message was due. */
  readWaiting(): Promise<number>;
  readTables(): Promise<Tables>;
  /** As /readyz has them. */
  look(): Promise<{
    parts: Readonly<Record<string, 'up' | 'late' | 'down' | 'unknown'>>;
    reasons: Readonly<Record<string, string>>;
  }>;
  /** Version of the Temporal server; undefined where it cannot be had. */
  temporalVersion(): Promise<string | undefined>;
};

/** The service itself, as the people see it who operate it: those of the first organisation. */
export type Installation = {
  /** FORBIDDEN for people of further organisations. */
  state(caller: TenantCaller): Promise<ServiceState>;
  /** FORBIDDEN for people of further organisations. */
  signIn(caller: TenantCaller): Promise<SignInSettings>;
};

export function createInstallation(
  { pool, clock, config }: Pick<Dependencies, 'pool' | 'clock' | 'config'>,
  collaborators: Collaborators,
): Installation {
  let latest: { at: number; state: Promise<ServiceState> } | undefined;

  // Hosts, loads and sizes of all tenants together are the operator's business alone.
  const requireOperator = async ({ organisationId }: TenantCaller): Promise<void> => {
    if ((await collaborators.firstOrganisation()) !== organisationId)
      throw new ApiError('FORBIDDEN', 'Only the organisation that operates this service sees it');
  };

  const read = async (): Promise<ServiceState> => {
    const [facts, workers, backlog, waiting, tables, look, temporal] = await Promise.all([
      readFacts(pool),
      readWorkers(pool),
      collaborators.readBacklog(),
      collaborators.readWaiting(),
      collaborators.readTables(),
      collaborators.look(),
      collaborators.temporalVersion(),
    ]);
    return {
      versions: {
        posthorn: VERSION,
        node: process.versions.node,
        postgresql: facts.postgresql,
        ...(temporal !== undefined && { temporal }),
      },
      workers: workers.map(({ host, pid, ...worker }) => ({
        ...worker,
        role: 'worker' as const,
        ...(host !== null && { host }),
        ...(pid !== null && { pid }),
      })),
      due: backlog.map(({ state, rows, age }) => ({
        // `as`: the query makes no others.
        state: state as ServiceState['due'][number]['state'],
        deliveries: rows,
        oldestDueForMs: Math.max(0, Math.round(age * 1_000)),
      })),
      oldestScheduledForMs: Math.max(0, Math.round(waiting * 1_000)),
      tables: tables
        .toSorted((one, other) => other.bytes - one.bytes)
        .slice(0, TABLES)
        .map(({ name, bytes, live, dead }) => ({ name, bytes, liveRows: live, deadRows: dead })),
      newestMigration: facts.newestMigration,
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
        // A look that failed is not kept.
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
