import { publishedEventTypeProblem } from '../../../kernel/words/event-types.ts';
import { ApiError, type ErrorCode } from '../../../kernel/errors.ts';
import { ChainTooDeep } from '../../../messaging/messages/publication.ts';
import type { StepExpressions } from '../../expressions/expressions.ts';
import type { ActionKind } from '../attempt-step.ts';
import { jsonText } from '../json-text.ts';
import { StepFailed } from '../step-failure.ts';

/** A message as it is recorded; metadata values are strings. */
type Prepared = {
  channelId: string;
  eventType: string;
  payload: unknown;
  metadata: Record<string, string>;
  idempotencyKey?: string;
};

/**
 * Publishes one message under the same rules as any publisher: the channel's status, schemas and filters. `id` is the
 * client-supplied message id, so a repeated publish returns the first message. `chainDepth` counts the runs that led to
 * it. Rejects with ApiError or ChainTooDeep.
 */
export type PublishForRun = (message: {
  environmentId: string;
  channelId: string;
  id: string;
  eventType: string;
  payload: string;
  metadata: Record<string, string>;
  chainDepth: number;
}) => Promise<{ messageId: string }>;

/** Errors that are worth a retry. */
const WORTH_A_RETRY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL']);

/**
 * The action publish. A refusal fails the step with the code a publisher would get, such as CONFLICT for a channel that
 * is not active.
 */
export function createPublishAction({
  publish,
  expressions,
}: {
  publish: PublishForRun;
  expressions: Pick<StepExpressions, 'resolve'>;
}): ActionKind {
  return {
    prepare({ step, context }): Prepared {
      if (step.type !== 'action' || step.action !== 'publish') throw new Error(`${step.id} is not a publish action`);
      const resolve = (template: unknown): unknown => expressions.resolve(template, context);
      const eventType = resolve(step.eventType);
      if (typeof eventType !== 'string') throw new StepFailed('EXPRESSION', 'eventType: must be a string');
      const problem = publishedEventTypeProblem(eventType);
      if (problem !== undefined) throw new StepFailed('EXPRESSION', `eventType: ${problem}`);
      const payload = resolve(step.payload);
      if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
        throw new StepFailed('EXPRESSION', 'payload: must be an object');
      const metadata = Object.entries(step.metadata).map(
        ([name, template]) => [name, textOf(resolve(template))] as const,
      );
      return {
        channelId: step.channelId,
        eventType,
        payload,
        metadata: Object.fromEntries(metadata),
        ...(step.idempotencyKey !== undefined && { idempotencyKey: textOf(resolve(step.idempotencyKey)) }),
      };
    },

    async perform(prepared, { run }, key) {
      // `as`: created by `prepare`.
      const { channelId, eventType, payload, metadata, idempotencyKey } = prepared as Prepared;
      try {
        return await publish({
          environmentId: run.environmentId,
          channelId,
          id: idempotencyKey ?? key,
          eventType,
          payload: jsonText(payload),
          metadata,
          chainDepth: run.chainDepth + 1,
        });
      } catch (error) {
        if (error instanceof ChainTooDeep) throw new StepFailed('CHAIN_TOO_DEEP', error.message);
        if (!(error instanceof ApiError)) throw error;
        throw new StepFailed(error.code, error.message, { canRetry: WORTH_A_RETRY.has(error.code) });
      }
    },
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));
