import { publishedEventTypeProblem } from '../../../kernel/words/event-types.ts';
import { ApiError, type ErrorCode } from '../../../kernel/errors.ts';
import { ChainTooDeep } from '../../../messaging/messages/publication.ts';
import type { StepExpressions } from '../../expressions/expressions.ts';
import type { ActionKind } from '../attempt-step.ts';
import { jsonText } from '../json-text.ts';
import { StepFailed } from '../step-failure.ts';

/** A message as it is recorded; its metadata are texts. */
type Prepared = {
  channelId: string;
  eventType: string;
  payload: unknown;
  metadata: Record<string, string>;
  idempotencyKey?: string;
};

/**
 * Publishes one message under the rules of any publisher: the channel's status, its schemas, its filters. `id` is the publisher's own id:
 * a second message with it is the first one. `chainDepth` counts the runs that stand behind it. Rejects with ApiError, or with
 * ChainTooDeep.
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

/** Refusals that another attempt may change. */
const WORTH_ANOTHER_TRY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL']);

/** The action publish. A refusal is an error with the code that a publisher gets: CONFLICT for a channel that is not active. */
export function createPublishAction({
  publish,
  expressions,
}: {
  publish: PublishForRun;
  expressions: Pick<StepExpressions, 'resolve'>;
}): ActionKind {
  return {
    prepare({ step, context }): Prepared {
      if (step.type !== 'action' || step.action !== 'publish') throw new Error(`${step.id} publishes nothing`);
      const resolve = (template: unknown): unknown => expressions.resolve(template, context);
      const eventType = resolve(step.eventType);
      if (typeof eventType !== 'string') throw new StepFailed('EXPRESSION', 'eventType: must give a text');
      const problem = publishedEventTypeProblem(eventType);
      if (problem !== undefined) throw new StepFailed('EXPRESSION', `eventType: ${problem}`);
      const payload = resolve(step.payload);
      if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
        throw new StepFailed('EXPRESSION', 'payload: must give an object');
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
      // `as`: that is what `prepare` made.
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
        throw new StepFailed(error.code, error.message, { canRetry: WORTH_ANOTHER_TRY.has(error.code) });
      }
    },
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));
