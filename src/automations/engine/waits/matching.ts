import type { Filters } from '../../../messaging/filters/filters.ts';
import type { Match, PlannedStep } from '../../definitions/configs/planned.ts';
import { hears } from '../../../messaging/publishing/configs/event-triggers.ts';
import { triggerFilter } from '../../definitions/plan/events.ts';
import { type RunContext, ExpressionFailed, type StepExpressions } from '../../expressions/expressions.ts';
import { StepFailed } from '../step-failure.ts';
import { hashOfValue } from '../json-text.ts';
import type { Pool } from 'pg';
import { parsePayload } from '../../../messaging/filters/payload.ts';

/** A message that runs may wait for. The payload is null if it was erased. */
export type ArrivedMessage = {
  id: string;
  environmentId: string;
  channelId: string;
  eventType: string;
  payload: string | null;
  metadata: Readonly<Record<string, string>> | null;
  publishedAt: Date;
};

/** Returns messages in the order of their ids; missing ones are left out. */
export async function readArrived(pool: Pick<Pool, 'query'>, ids: readonly string[]): Promise<ArrivedMessage[]> {
  const { rows } = await pool.query<ArrivedMessage>({
    name: 'read_arrived',
    text: `SELECT id, environment_id AS "environmentId", channel_id AS "channelId", event_type AS "eventType", payload, metadata,
        published_at AS "publishedAt" FROM messages WHERE id = ANY ($1) ORDER BY id`,
    values: [ids],
  });
  return rows;
}

/** Whether a message still exists with its payload. */
export async function hasPayload(pool: Pick<Pool, 'query'>, id: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'has_payload',
    text: 'SELECT FROM messages WHERE id = $1 AND payload IS NOT NULL',
    values: [id],
  });
  return rowCount === 1;
}

/** Returns the message as expressions and outputs see it. */
export const eventOf = ({ id, eventType, channelId, payload, metadata, publishedAt }: ArrivedMessage) => ({
  id,
  eventType,
  channelId,
  payload: payload === null ? null : parsePayload(payload),
  metadata: metadata ?? {},
  publishedAt: publishedAt.toISOString(),
});

export type Matching = {
  expressions: Pick<StepExpressions, 'evaluateAll'>;
  filters: Pick<Filters, 'evaluate'>;
};

/** The part of a step that decides whether a message ends its wait. */
export type Wanted = Pick<PlannedStep & { type: 'wait_for_event' }, 'channelIds' | 'eventTypes' | 'filter' | 'match'>;

/** Identifies a waiting step of a version. All its waits evaluate messages the same way. */
export const waitingStepOf = ({
  workflowId,
  version,
  stepId,
}: {
  workflowId: string;
  version: number;
  stepId: string;
}) => `${workflowId}/${version}/${stepId}`;

/** The inverse of `waitingStepOf`. */
export function readWaitingStep(text: string): { workflowId: string; version: number; stepId: string } {
  const [workflowId = '', version = '', stepId = ''] = text.split('/');
  return { workflowId, version: Number(version), stepId };
}

/**
 * Returns a hash of the values that a message must have to end a wait. Throws StepFailed for a value that no message
 * can have.
 */
export function keyOfRun(
  { expressions }: { expressions: Pick<StepExpressions, 'evaluate'> },
  match: readonly Match[],
  context: RunContext,
): { key: string; values: unknown[] } {
  const values = match.map(({ run }, index) => {
    const value = expressions.evaluate(run, context);
    if (value === null)
      throw new StepFailed('EXPRESSION', `match[${index}].run: returned null, which matches no message`);
    return value;
  });
  return { key: hashOfValue(values), values };
}

/** Returns the match key of a message; undefined if it cannot end any wait of this step. */
export async function keyOfMessage(
  { expressions, filters }: Matching,
  wanted: Wanted,
  message: ArrivedMessage,
): Promise<string | undefined> {
  const { payload, channelId, eventType } = message;
  if (payload === null || !hears({ channelIds: [...wanted.channelIds], eventTypes: [...wanted.eventTypes] }, message))
    return undefined;
  if (wanted.filter !== undefined) {
    const input = { key: channelId, eventType, payload, metadata: message.metadata ?? undefined };
    const [verdict] = await filters.evaluate([triggerFilter(wanted.filter)], input);
    if (verdict?.matches !== true) return undefined;
  }
  if (wanted.match.length === 0) return hashOfValue([]);
  const { context, failure } = contextOfMessage(message);
  try {
    const asked = wanted.match.map(({ event }) => event);
    const values = await expressions.evaluateAll(asked, context, message.environmentId);
    return values.includes(null) ? undefined : hashOfValue(values);
  } catch (error) {
    const unreadable = failure();
    if (unreadable !== undefined) throw unreadable;
    // A message that lacks what the expression reads is not the one the run waits for.
    if (error instanceof ExpressionFailed) return undefined;
    throw error;
  }
}

/**
 * Creates a context whose payload is parsed by the first expression, within its turn of the event loop, because parsing
 * the largest payload takes 18 ms. `failure` returns the error if the payload could not be parsed.
 */
function contextOfMessage(message: ArrivedMessage): { context: RunContext; failure: () => Error | undefined } {
  let event: RunContext['event'] | undefined;
  let failure: Error | undefined;
  const read = (): RunContext['event'] => {
    try {
      return (event ??= eventOf(message));
    } catch (error) {
      failure = new Error(`The payload of ${message.id} cannot be read`, { cause: error });
      throw failure;
    }
  };
  return {
    context: {
      ...NO_RUN,
      get event() {
        return read();
      },
    },
    failure: () => failure,
  };
}

const NO_RUN: Omit<RunContext, 'event'> = {
  steps: {},
  vars: {},
  item: null,
  index: -1,
  workflow: { id: '', name: '', version: 0 },
  run: { id: '', startedAt: '', now: '', test: false },
};
