import { Counter, Histogram, type Registry } from 'prom-client';

// From a run of one pure step to one that has waited for weeks.
const RUN_SECONDS = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400, 604_800, 2_592_000,
];

/** Everything about runs of workflows that one process counts. No label holds an id, nor anything that an author has named. */
export function createRunMeters(registry: Registry) {
  const registers = [registry];
  const begun = new Counter({
    name: 'posthorn_runs_begun_total',
    help: 'Workflow runs started, by trigger. Later rounds of a run are not counted.',
    labelNames: ['trigger'],
    registers,
  });
  const ended = new Counter({
    name: 'posthorn_runs_ended_total',
    help: 'Rounds of workflow runs that have ended, by status (completed, failed, cancelled, paused, skipped).',
    labelNames: ['status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'posthorn_run_duration_seconds',
    help: 'Time from the start of a workflow run to its end, including waits and retries.',
    buckets: RUN_SECONDS,
    registers,
  });
  const steps = new Counter({
    name: 'posthorn_run_steps_total',
    help: 'Steps of workflow runs that have ended, by type and outcome (completed, failed, skipped).',
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
