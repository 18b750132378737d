import { Counter, Gauge, Registry } from 'prom-client';
import type { Readied } from '../../observe/metrics-server.ts';
import { countedOf, type Figures, figuresOf, mergePages, type ProcessPage } from '../../observe/page.ts';
import { PROCESS_STATES, type ProcessState } from '../../readiness/readiness.ts';

/** The figures of the processes themselves. */
export function createProcessFigures(table: () => readonly Pick<ProcessState, 'state'>[]) {
  const registry = new Registry();
  const restarts = new Counter({
    name: 'posthorn_process_restarts_total',
    help: 'Service processes that have died and were started again.',
    registers: [registry],
  });
  new Gauge({
    name: 'posthorn_processes',
    help: 'Service processes of this command by state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const state of PROCESS_STATES) this.set({ state }, table().filter((each) => each.state === state).length);
    },
  });
  return { registry, restarted: () => restarts.inc() };
}

/** The last that is known of one life of a process. */
export type Observation = { page?: ProcessPage; ready?: Readied; answeredAt: number };

/**
 * Merges what the processes tell. One that does not answer in time keeps its last figures, and one that has died keeps what it had
 * counted: a sum that falls would be read as a restart of everything.
 */
export function createMergedPage(table: () => readonly ProcessState[]) {
  const processes = createProcessFigures(table);
  let dead: Figures[] = [];
  let database: Figures | undefined;
  return {
    restarted: processes.restarted,
    /** Takes over what a dead process has counted. */
    bury({ page }: Observation): void {
      if (page !== undefined) dead = [...dead, countedOf(page.own)];
    },
    async page(observations: readonly Observation[]): Promise<string> {
      const pages = observations.flatMap(({ page }) => (page === undefined ? [] : [page]));
      database = pages.find((page) => page.database !== undefined)?.database ?? database;
      const own = [...dead, ...pages.map((page) => page.own), await figuresOf(processes.registry)];
      return mergePages(
        database === undefined ? own : [...own, database],
        pages.map(({ temporal }) => temporal),
      );
    },
  };
}

/** Ready while one process takes work; else the reasons of one that does not. */
export const mergedReadiness = (observations: readonly Observation[]): Readied =>
  observations.find(({ ready }) => ready?.isReady === true)?.ready ??
  observations.find(({ ready }) => ready !== undefined)?.ready ?? {
    isReady: false,
    reasons: { process: 'The processes are starting' },
  };
