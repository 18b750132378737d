import { Counter, Histogram, type Registry } from 'prom-client';

// From a run of one pure step to one that has waited for weeks.
const RUN_SECONDS = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400, 604_800, 2_592_000,
];

/** Everything about runs of workflows that one process counts. No label holds an id, nor anything that an author has named. */
export function createRunMeters(registry: Registry) {
  const registers = [registry];
  const begun = new Counter({
    name: 'posthorn_runs_started_total',
    help: 'Runs of workflows that workers have begun, by trigger; further rounds of a run are left out.',
    labelNames: ['trigger'],
    registers,
  });
  const ended = new Counter({
    name: 'posthorn_runs_finished_total',
    help: 'Rounds of runs that have begun and ended, by status (completed, failed, cancelled, paused, skipped).',
    labelNames: ['status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'posthorn_run_duration_seconds',
    help: 'Time from the beginning of a run to its end, waits and retries included.',
    buckets: RUN_SECONDS,
    registers,
  });
  const steps = new Counter({
    name: 'posthorn_run_steps_total',
    help: 'Steps of runs that have ended, by type and outcome (completed, failed, skipped).',
    labelNames: ['type', 'outcome'],
    registers,
  });
  return {
    begun(trigger: string): void {
      begun.inc({ trigger });
    },
    /** `after`: seconds since the run began, for one that has ended for good. */
    ended(status: string, after?: number): void {
      ended.inc({ status });
      if (after !== undefined) seconds.observe(after);
    },
    stepEnded(type: string, outcome: string): void {
      steps.inc({ type, outcome });
    },
  };
}
