import type { Config } from '../../platform/config/config.ts';
import type { Readied, ProcessPage } from '../../platform/observe/metrics-server.ts';
import type { OwnEndpoint } from '../../platform/outbound/guard/own-addresses.ts';
import type { CountBatch } from '../../platform/rate-limits/shared-counters.ts';
import type { CountAnswer } from '../../platform/rate-limits/counters.ts';
import type { ProcessState } from '../../platform/readiness/readiness.ts';

/** Commands whose service runs in one or several processes. */
export type ServiceRole = 'start' | 'api' | 'worker';

/**
 * Everything that a service process is given at its start. Secrets go through the pipe, because anyone on the machine can read a
 * command line.
 */
export type Assignment = {
  role: ServiceRole;
  number: number;
  isReplacement: boolean;
  config: Config;
  /** Address of the embedded Temporal, if there is one. */
  temporalAddress: string | undefined;
  /** Endpoints of the embedded servers. */
  own: readonly OwnEndpoint[];
};

/** What a scrape or a probe wants to know from a process. */
type WantedAnswer = 'metrics' | 'metrics and database' | 'readiness';

/** Messages from the supervisor to a service process. */
export type ToProcess =
  | { kind: 'begin'; assignment: Assignment }
  | { kind: 'stop' }
  | { kind: 'table'; table: readonly ProcessState[] }
  | { kind: 'counted'; batch: number; answers: readonly CountAnswer[] }
  | { kind: 'sayCounts'; question: number }
  | { kind: 'forgetKey'; question: number; id: string }
  | { kind: 'keyForgotten'; change: number }
  | { kind: 'observe'; question: number; what: WantedAnswer }
  | { kind: 'died'; incarnationId: string }
  | { kind: 'own'; endpoints: readonly OwnEndpoint[] };

/** Messages from a service process to its supervisor. `change` and `question` are numbers chosen by the sender, which the reply repeats. */
export type ToSupervisor =
  | { kind: 'joined' }
  | { kind: 'alive' }
  | { kind: 'claims'; incarnationId: string }
  | { kind: 'ready'; port: number | undefined }
  | { kind: 'waits'; sentence: string }
  | { kind: 'failed'; sentence: string }
  | ({ kind: 'count' } & CountBatch)
  | { kind: 'keyChanged'; change: number; id: string }
  | { kind: 'observed'; question: number; page?: ProcessPage; ready?: Readied }
  | { kind: 'done'; question: number };
