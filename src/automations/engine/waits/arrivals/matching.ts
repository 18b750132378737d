import type { Filters } from '../../../../messaging/filters/filters.ts';
import type { Match, PlannedStep } from '../../../definitions/configs/planned.ts';
import { hears } from '../../../../messaging/publishing/configs/event-triggers.ts';
import { triggerFilter } from '../../../definitions/plan/trigger-filter.ts';
import type { RunContext } from '../../../expressions/context.ts';
import { ExpressionFailed, type StepExpressions } from '../../../expressions/expressions.ts';
import { StepFailed } from '../../step-failure.ts';
import { hashOfValue } from '../../values/value-hash.ts';
import { type ArrivedMessage, eventOf } from './arrived.ts';

export type Matching = {
  expressions: Pick<StepExpressions, 'evaluateAll'>;
  filters: Pick<Filters, 'evaluate'>;
};

/** The part of a step that decides whether a message ends its wait. */
export type Wanted = Pick<PlannedStep & { type: 'wait_for_event' }, 'channelIds' | 'eventTypes' | 'filter' | 'match'>;

/** All waits of one step of one version: they ask a message the same. */
export const waitingStepOf = ({
  workflowId,
  version,
  stepId,
}: {
  workflowId: string;
  version: number;
  stepId: string;
}) => `${workflowId}/${version}/${stepId}`;

/** Reads what `waitingStepOf` has made. */
export function readWaitingStep(text: string): { workflowId: string; version: number; stepId: string } {
  const [workflowId = '', version = '', stepId = ''] = text.split('/');
  return { workflowId, version: Number(version), stepId };
}

/** The values that a message must have to end a wait, as one hash. Throws StepFailed for a value that no message has. */
export function keyOfRun(
  { expressions }: { expressions: Pick<StepExpressions, 'evaluate'> },
  match: readonly Match[],
  context: RunContext,
): { key: string; values: unknown[] } {
  const values = match.map(({ run }, index) => {
    const value = expressions.evaluate(run, context);
    if (value === null) throw new StepFailed('EXPRESSION', `match[${index}].run: gave null, which no message matches`);
    return value;
  });
  return { key: hashOfValue(values), values };
}

/** The same of a message; undefined for one that ends no wait of this step, whatever the run. */
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
    // A message that lacks what the expression reads is another one than the run waits for.
    if (error instanceof ExpressionFailed) return undefined;
    throw error;
  }
}

/**
 * A context whose payload is parsed by the first expression, within its turn of the event loop: parsing the largest takes 18 ms. `failure`
 * returns the error if the payload could not be parsed.
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
