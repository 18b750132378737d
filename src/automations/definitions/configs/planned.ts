import type { OnError } from '../../../kernel/contract/run-outline.ts';
import type { RetryPolicy } from '../../../kernel/contract/retry-policy.ts';

/** CEL, evaluated over a run's context. */
type Cel = string;
/** JSON whose texts may hold `{{ CEL }}`. A text that is one such expression and nothing else takes the value's own kind. */
type Template = unknown;

/** A trigger as the engine reads it. Durations in ms; lists that are empty mean all. */
export type Trigger =
  | ({
      type: 'event';
      channelIds: readonly string[];
      eventTypes: readonly string[];
      source: 'channel' | 'system';
    } & Flow)
  | ({ type: 'webhook'; webhookId: string; eventTypes: readonly string[] } & Flow)
  | {
      type: 'schedule';
      crons: readonly string[];
      everyMs?: number;
      timezone: string;
      overlap: Overlap;
      jitterMs?: number;
      catchupWindowMs: number;
      startAt?: string;
      endAt?: string;
      payload: Readonly<Record<string, unknown>>;
    }
  | { type: 'manual'; inputSchema?: unknown };

type Overlap = 'skip' | 'bufferOne' | 'bufferAll' | 'cancelOther' | 'terminateOther' | 'allowAll';

/** How many runs a trigger begins. `filter` is of the bounded language of subscriptions' filters (docs/reference/filters.md). */
export type Flow = {
  filter?: Cel;
  dedupe?: { key: Cel; windowMs: number };
  concurrency?: { limit: number; key?: Cel; onLimit: 'queue' | 'skip' | 'cancelRunning' };
  cancelOn: readonly CancelOn[];
};

/** Messages that cancel the runs they match. */
export type CancelOn = { eventTypes: readonly string[]; match: readonly Match[] };

/** Two expressions whose values are equal: of the message that arrives, and of the run that waits. */
export type Match = { event: Cel; run: Cel };

/** All that every step has. */
type AnyStep = {
  id: string;
  label: string;
  /** The step is left out where this is false. */
  if?: Cel;
  next: string | null;
  /** Takes the place of the step's result. Absent: the result itself. */
  output?: Template;
  onError: OnError;
  timeoutMs: number;
  retryPolicy: RetryPolicy;
  /** Codes of errors that are not tried again. */
  nonRetryableErrors: readonly string[];
};

export type HttpAction = {
  action: 'http';
  method: string;
  url: Template;
  headers: Readonly<Record<string, Template>>;
  query: Readonly<Record<string, Template>>;
  /** The header Authorization. */
  auth?: { type: 'basic'; username: Template; password: Template } | { type: 'bearer'; token: Template };
  body?: Template;
  /** Statuses that are no failure. Empty: all from 200 to 299. */
  expectStatus: readonly number[];
};
type PublishAction = {
  action: 'publish';
  channelId: string;
  eventType: Template;
  payload: Template;
  metadata: Readonly<Record<string, Template>>;
  idempotencyKey?: Template;
};
export type ConnectorAction = {
  action: 'connector';
  connectorId: string;
  operation: string;
  connectionId?: string;
  params: Template;
};
/** `config` as it was sent. The output is its resolved value, or `config` itself where it names no action and cannot be resolved. */
type LogAction = { action: 'log'; config: Template; isChecked: boolean };

/** A step as the engine reads it. A target that the author left out is undefined: `next` is taken; null ends the chain. */
export type PlannedStep = AnyStep &
  (
    | ({ type: 'action' } & (HttpAction | PublishAction | ConnectorAction | LogAction))
    | { type: 'condition'; expression: Cel; whenTrue?: string | null; whenFalse?: string | null }
    | { type: 'switch'; cases: readonly { when: Cel; next: string | null }[]; default?: string | null }
    | { type: 'filter'; expression: Cel }
    | { type: 'transform'; set: Readonly<Record<string, Template>>; assign: Readonly<Record<string, Template>> }
    | { type: 'delay'; forMs?: number; until?: Template }
    | {
        type: 'wait_for_event';
        channelIds: readonly string[];
        eventTypes: readonly string[];
        filter?: Cel;
        match: readonly Match[];
        waitMs: number;
        onTimeout: 'continue' | 'fail' | { next: string };
        /** Messages that were published so long before the wait began are taken too. Absent: since the run began. */
        lookbackMs?: number;
      }
    | {
        type: 'approval';
        title: Template;
        message?: Template;
        approvers: readonly string[];
        form?: unknown;
        waitMs: number;
        onTimeout: 'reject' | 'approve' | 'fail';
        approved?: string | null;
        rejected?: string | null;
      }
    | {
        type: 'foreach';
        items: Cel;
        body: string;
        concurrency: number;
        maxItems: number;
        onItemError: 'fail' | 'continue';
        collect?: Cel;
      }
    | { type: 'parallel'; branches: readonly string[]; mode: 'all' | 'race' }
    | { type: 'workflow'; workflowId: string; input: Template; isAwaited: boolean; waitMs: number }
    | {
        type: 'end';
        status: 'completed' | 'failed' | 'cancelled';
        error?: { code: string; message: Template };
        /** Whether a run that fails by it is a dead letter. */
        deadLetter: boolean;
        output?: Template;
      }
  );

/** One version of a definition, compiled from what was sent. */
export type Plan = { trigger: Trigger; entry: string | null; steps: readonly PlannedStep[] };
