import type { Pool } from 'pg';
import { type RunInput, type StepInput, iterationsAround, type Way } from '../../kernel/contract/run-workflow.ts';
import { RunSuperseded } from './step-failure.ts';

/** A run in progress, and the message that started it if retention has not removed it. */
export type CarriedRun = {
  id: string;
  environmentId: string;
  workflowId: string;
  version: number;
  input: string | null;
  messageId: string | null;
  channelId: string | null;
  chainDepth: number;
  startedAt: Date | null;
  /** Number of retries from the start. */
  restarts: number;
  executions: number;
  outputBytes: number;
  eventType: string | null;
  payload: string | null;
  metadata: Readonly<Record<string, string>> | null;
  publishedAt: Date | null;
  /** Set in a test run, which has no effects. */
  isTrial?: true;
};

/** The event of a test run, in place of a published message. */
export type Sample = Pick<
  CarriedRun,
  'messageId' | 'channelId' | 'eventType' | 'payload' | 'metadata' | 'publishedAt' | 'isTrial'
>;

export type StepRow = {
  stepId: string;
  iteration: string;
  type: string;
  status: string;
  input: string | null;
  output: string | null;
  assigned: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  attempts: number;
  failures: number;
  way: Way | null;
  until: Date | null;
  startedAt: Date;
};

const RUN = `
  SELECT r.id, r.environment_id AS "environmentId", r.workflow_id AS "workflowId", r.version, r.input, r.message_id AS "messageId",
    r.channel_id AS "channelId", r.chain_depth AS "chainDepth", r.started_at AS "startedAt", r.restarts, r.executions,
    r.output_bytes AS "outputBytes", m.event_type AS "eventType", m.payload, m.metadata, coalesce(m.published_at, r.scheduled_at) AS "publishedAt"
  FROM runs r LEFT JOIN messages m ON m.id = r.message_id
  WHERE r.id = $1 AND r.round = $2 AND r.finished_at IS NULL AND r.status <> 'paused'`;

/** Throws RunSuperseded if the run has ended or is in another round. */
export async function readRun(pool: Pool, { runId, round }: RunInput): Promise<CarriedRun> {
  const { rows } = await pool.query<CarriedRun>({ name: 'read_run', text: RUN, values: [runId, round] });
  if (rows[0] === undefined) throw new RunSuperseded(`Round ${round} of ${runId} is over`);
  return rows[0];
}

const COLUMNS = `step_id AS "stepId", iteration, type, status, input, output, assigned, error_code AS "errorCode",
  error_message AS "errorMessage", attempts, failures, way, until, started_at AS "startedAt"`;

/** Returns the row of the step; undefined before it has started. */
export async function readStep(
  pool: Pool,
  { runId, stepId, iteration }: Omit<StepInput, 'round'>,
): Promise<StepRow | undefined> {
  const { rows } = await pool.query<StepRow>({
    name: 'read_run_step',
    text: `SELECT ${COLUMNS} FROM run_steps WHERE run_id = $1 AND step_id = $2 AND iteration = $3`,
    values: [runId, stepId, iteration],
  });
  return rows[0];
}

/** Returns the finished steps visible to a step of this iteration, in order. */
export async function readEnded(pool: Pool, runId: string, iteration: string): Promise<StepRow[]> {
  const { rows } = await pool.query<StepRow>({
    name: 'read_run_steps',
    text: `SELECT ${COLUMNS} FROM run_steps
      WHERE run_id = $1 AND iteration = ANY ($2) AND way IS NOT NULL AND type <> 'item' ORDER BY number`,
    values: [runId, iterationsAround(iteration)],
  });
  return rows;
}

/** Returns the JSON of one item of a loop. */
export async function readItem(
  pool: Pool,
  { runId, loopId, iteration, item }: { runId: string; loopId: string; iteration: string; item: number },
): Promise<string | undefined> {
  const { rows } = await pool.query<{ item: string | null }>({
    name: 'read_run_item',
    text: `SELECT (input::json -> $4::int)::text AS item FROM run_steps WHERE run_id = $1 AND step_id = $2 AND iteration = $3`,
    values: [runId, loopId, iteration, item],
  });
  return rows[0]?.item ?? undefined;
}

/** Returns the transitions of finished steps, outside loops or in unfinished items of a loop. */
export async function readWays(
  pool: Pool,
  runId: string,
  iterations: readonly string[],
): Promise<{ stepId: string; iteration: string; way: Way }[]> {
  const { rows } = await pool.query<{ stepId: string; iteration: string; way: Way }>({
    name: 'read_run_ways',
    text: `SELECT step_id AS "stepId", iteration, way FROM run_steps
      WHERE run_id = $1 AND iteration = ANY ($2) AND way IS NOT NULL AND type <> 'item'`,
    values: [runId, iterations],
  });
  return rows;
}
