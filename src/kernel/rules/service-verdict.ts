import { BACKLOG_HIGH } from '../words/event-types.ts';

export const VERDICTS = ['healthy', 'degraded', 'down'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Everything that can keep the service from being healthy. docs/operate/troubleshooting.md explains each. */
export const REASON_CODES = [
  'database_unavailable',
  'schema_unfit',
  'encryption_keys_unfit',
  'row_security_off',
  'no_worker',
  'worker_late',
  'temporal_unreachable',
  'temporal_partly_unreachable',
  'backlog_old',
  'scheduled_late',
] as const;
type ReasonCode = (typeof REASON_CODES)[number];

export type VerdictReason = { code: ReasonCode; verdict: Exclude<Verdict, 'healthy'>; message: string };

/**
 * Thresholds of the verdict, in ms. A worker renews its lease every 2 s, so three renewals are missing when its heartbeat is late. A
 * worker that has been silent for a minute is gone and no longer counts. Work counts as old after the time at which `backlog.high` is
 * sent.
 */
const LATE_AFTER_MS = {
  heartbeat: 6_000,
  gone: 60_000,
  backlog: BACKLOG_HIGH.ageSeconds * 1_000,
  scheduled: BACKLOG_HIGH.ageSeconds * 1_000,
} as const;

/** The state of workers and Temporal according to the workers' leases. Temporal is down if no running worker reaches it. */
export function deliveringServers({ living, withoutTemporal }: { living: number; withoutTemporal: number }): {
  worker: 'up' | 'down';
  temporal: 'up' | 'down' | 'unknown';
} {
  if (living === 0) return { worker: 'down', temporal: 'unknown' };
  return { worker: 'up', temporal: withoutTemporal < living ? 'up' : 'down' };
}

type PartState = 'up' | 'late' | 'down' | 'unknown';

/** What the verdict depends on. `read` is undefined if PostgreSQL did not respond. Ages are in ms. */
export type ServiceFacts = {
  parts: Readonly<Record<string, PartState>>;
  reasons: Readonly<Record<string, string>>;
  read?:
    | {
        workers: readonly { isAlive: boolean; silentMs: number; reachesTemporal: boolean }[];
        oldestDueMs: number;
        oldestScheduledMs: number;
      }
    | undefined;
};

/** Readiness checks that count by themselves. Temporal is not among them, because the workers' reports count as well. */
const PARTS: readonly [name: string, code: ReasonCode, verdict: VerdictReason['verdict']][] = [
  ['database', 'database_unavailable', 'down'],
  ['schema', 'schema_unfit', 'down'],
  ['encryptionKeys', 'encryption_keys_unfit', 'down'],
  ['rowSecurity', 'row_security_off', 'degraded'],
];

/**
 * The verdict on the whole service: `down` if messages are rejected or nothing is delivered, `degraded` if everything works but late or
 * with less protection, `healthy` if nothing is wrong. The worst reason decides and comes first.
 */
export function judgeService(facts: ServiceFacts): { verdict: Verdict; reasons: VerdictReason[] } {
  const found = [reasonsOfParts, reasonsOfWorkers, reasonsOfTemporal, reasonsOfWork].flatMap((look) => look(facts));
  const of = (verdict: Verdict): VerdictReason[] => found.filter((reason) => reason.verdict === verdict);
  const reasons = [...of('down'), ...of('degraded')];
  return { verdict: reasons[0]?.verdict ?? 'healthy', reasons };
}

/** Whether a component is down. One that is unknown depends on another component, which is already a reason. */
const isMissing = (state: PartState | undefined): boolean => state === 'down' || state === 'late';

function reasonsOfParts({ parts, reasons }: ServiceFacts): VerdictReason[] {
  return PARTS.flatMap(([name, code, verdict]) =>
    isMissing(parts[name]) ? [{ code, verdict, message: reasons[name] ?? `The check ${name} failed` }] : [],
  );
}

function reasonsOfWorkers({ read }: ServiceFacts): VerdictReason[] {
  if (read === undefined) return [];
  const late = read.workers.filter(
    ({ silentMs }) => silentMs > LATE_AFTER_MS.heartbeat && silentMs <= LATE_AFTER_MS.gone,
  ).length;
  const found: VerdictReason[] = [];
  if (!read.workers.some(({ isAlive }) => isAlive))
    found.push({
      code: 'no_worker',
      verdict: 'down',
      message: 'No worker is online: messages are accepted, but nothing is delivered',
    });
  if (late > 0)
    found.push({
      code: 'worker_late',
      verdict: 'degraded',
      message: `${late === 1 ? 'One worker has' : `${late} workers have`} sent no heartbeat for more than ${LATE_AFTER_MS.heartbeat / 1_000} s`,
    });
  return found;
}

function reasonsOfTemporal({ parts, reasons, read }: ServiceFacts): VerdictReason[] {
  const living = read?.workers.filter(({ isAlive }) => isAlive) ?? [];
  const withoutTemporal = living.filter(({ reachesTemporal }) => !reachesTemporal).length;
  const { temporal } = deliveringServers({ living: living.length, withoutTemporal });
  const code = 'temporal_unreachable';
  if (temporal === 'down')
    return [
      {
        code,
        verdict: 'down',
        message: 'No worker reaches Temporal: messages are accepted, but deliveries wait for it',
      },
    ];
  if (isMissing(parts['temporal'])) {
    const says = reasons['temporal'] ?? 'Temporal does not respond';
    // A worker checks Temporal every 15 s and waits up to 10 s for a response, so its report may be older than this process's own
    // check.
    const since = temporal === 'up' ? 'the workers reached it at their last check' : 'deliveries wait for it';
    return [{ code, verdict: temporal === 'up' ? 'degraded' : 'down', message: `${says}; ${since}` }];
  }
  if (withoutTemporal === 0) return [];
  const message = `${withoutTemporal} of ${living.length} workers do not reach Temporal; the others deliver`;
  return [{ code: 'temporal_partly_unreachable', verdict: 'degraded', message }];
}

function reasonsOfWork({ read }: ServiceFacts): VerdictReason[] {
  if (read === undefined) return [];
  const found: VerdictReason[] = [];
  if (read.oldestDueMs > LATE_AFTER_MS.backlog)
    found.push({
      code: 'backlog_old',
      verdict: 'degraded',
      message: `The oldest due delivery has waited for ${minutes(read.oldestDueMs)}; check the workers, and the rate limit and the receiver of its subscription`,
    });
  if (read.oldestScheduledMs > LATE_AFTER_MS.scheduled)
    found.push({
      code: 'scheduled_late',
      verdict: 'degraded',
      message: `A scheduled message is ${minutes(read.oldestScheduledMs)} late`,
    });
  return found;
}

const minutes = (ms: number): string => `${Math.floor(ms / 60_000)} minutes`;
