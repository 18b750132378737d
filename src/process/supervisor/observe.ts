import { Counter, Gauge, Registry } from 'prom-client';
import {
  type Readied,
  countedOf,
  type MetricValues,
  metricValuesOf,
  mergePages,
  type ProcessPage,
} from '../../platform/observe/metrics-server.ts';
import { PROCESS_STATES, type ProcessState } from '../../platform/readiness/readiness.ts';
import type { ToProcess, ToSupervisor } from './messages.ts';
import type { Questions } from './questions.ts';

/**
 * Chooses the process that reads the database metrics. Each process caches its own reading for ten seconds, so alternating between
 * processes would show values that go back. A process stays the reader as long as it is joined and has answered the last scrape.
 */
function createDatabaseReader<P>() {
  let current: P | undefined;
  let hasAnswered = true;
  let figures: MetricValues | undefined;
  return {
    /** Returns the process to ask in this scrape: if the reader hangs or has died, the next one in order. */
    choose(joined: readonly P[]): P | undefined {
      const place = current === undefined ? -1 : joined.indexOf(current);
      if (place >= 0 && hasAnswered) return current;
      current = joined[(place + 1) % joined.length];
      hasAnswered = true;
      return current;
    },
    /** Stores the values from a scrape, if there are any. A late reply of an earlier reader changes nothing. */
    hear(process: P, told: MetricValues | undefined): void {
      if (process !== current) return;
      hasAnswered = told !== undefined;
      figures = told ?? figures;
    },
    /** The last values from the reader. */
    figures: (): MetricValues | undefined => figures,
  };
}

// Prometheus allows 10 s per scrape. A process that hangs for longer than this is shown with its last values.
const OBSERVED_WITHIN_MS = 4_000;

/** Metrics about the processes themselves. */
export function createProcessFigures(table: () => readonly Pick<ProcessState, 'state'>[]) {
  const registry = new Registry();
  const restarts = new Counter({
    name: 'posthorn_process_restarts_total',
    help: 'Service processes that died and were restarted.',
    registers: [registry],
  });
  new Gauge({
    name: 'posthorn_processes',
    help: 'Service processes of this command, by state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const state of PROCESS_STATES) this.set({ state }, table().filter((each) => each.state === state).length);
    },
  });
  return { registry, restarted: () => restarts.inc() };
}

/** What was last learned from one life of a process. */
export type Observation = {
  page?: ProcessPage;
  ready?: Readied;
  /** The reading in its last reply to a scrape; an earlier one may be older than that of another process. */
  database?: ProcessPage['database'];
};

export type Observed = { observed: Observation };

type Observing<L> = {
  questions: Questions<L>;
  /** Lives that can be asked now. */
  joined(): readonly L[];
  table(): readonly Pick<ProcessState, 'state'>[];
  say(life: L, message: Extract<ToProcess, { kind: 'observe' }>): void;
};

/**
 * Asks all processes and merges their replies. A process that does not reply in time keeps its last values, and what a dead one has
 * counted is kept, because a falling sum would look like a restart of everything.
 */
export function createObserver<L extends Observed>({ questions, joined, table, say }: Observing<L>) {
  const processes = createProcessFigures(table);
  const reader = createDatabaseReader<L>();
  let dead: MetricValues[] = [];

  const ask = async (wanted: 'metrics' | 'readiness'): Promise<Observation[]> => {
    const asked = joined();
    const reading = wanted === 'metrics' ? reader.choose(asked) : undefined;
    const answered = await questions.ask(asked, OBSERVED_WITHIN_MS, (life, question) =>
      say(life, { kind: 'observe', question, what: life === reading ? 'metrics and database' : wanted }),
    );
    if (reading !== undefined) reader.hear(reading, answered.has(reading) ? reading.observed.database : undefined);
    return asked.map(({ observed }) => observed);
  };

  return {
    restarted: processes.restarted,
    /** Keeps the counters of a dead process. */
    bury({ observed: { page } }: L): void {
      if (page !== undefined) dead = [...dead, countedOf(page.own)];
    },
    hear(life: L, { question, page, ready }: Extract<ToSupervisor, { kind: 'observed' }>): void {
      life.observed = {
        ...life.observed,
        ...(page && { page }),
        ...(ready ? { ready } : { database: page?.database }),
      };
      questions.hear(life, question);
    },
    async page(): Promise<string> {
      const pages = (await ask('metrics')).flatMap(({ page }) => (page === undefined ? [] : [page]));
      const own = [...dead, ...pages.map((page) => page.own), await metricValuesOf(processes.registry)];
      const database = reader.figures();
      return mergePages(
        database === undefined ? own : [...own, database],
        pages.map(({ temporal }) => temporal),
      );
    },
    /** Ready if one process accepts work; otherwise returns the reasons of one that does not. */
    async ready(): Promise<Readied> {
      const observations = await ask('readiness');
      return (
        observations.find(({ ready }) => ready?.isReady === true)?.ready ??
        observations.find(({ ready }) => ready !== undefined)?.ready ?? {
          isReady: false,
          reasons: { process: 'The processes are starting' },
        }
      );
    },
  };
}
