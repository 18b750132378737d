import type { OnError } from '../../../kernel/contract/run-outline.ts';
import type { RetryPolicy } from '../../../kernel/contract/retry-policy.ts';

/** CEL, evaluated in the context of a run. */
type Cel = string;
/**
 * JSON whose texts may contain `{{ CEL }}`. A text that consists of a single expression keeps the type of its value.
 */
type Template = unknown;

/** A trigger as the engine uses it. Durations in ms; empty lists mean all. */
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

/** Which runs a trigger starts. `filter` uses the language of subscription filters (docs/reference/filters.md). */
export type Flow = {
  filter?: Cel;
  dedupe?: { key: Cel; windowMs: number };
  concurrency?: { limit: number; key?: Cel; onLimit: 'queue' | 'skip' | 'cancelRunning' };
  cancelOn: readonly CancelOn[];
};

/** Messages that cancel the runs they match. */
export type CancelOn = { eventTypes: readonly string[]; match: readonly Match[] };

/** Two expressions whose values must be equal: one over the arriving message, one over the waiting run. */
export type Match = { event: Cel; run: Cel };

/** Properties of every step. */
type AnyStep = {
  id: string;
  label: string;
  /** The step is skipped if this is false. */
  if?: Cel;
  next: string | null;
  /** Replaces the result of the step. Absent: the result itself. */
  output?: Template;
  onError: OnError;
  timeoutMs: number;
  retryPolicy: RetryPolicy;
  /** Error codes that are not retried. */
  nonRetryableErrors: readonly string[];
};

export type HttpAction = {
  action: 'http';
  method: string;
  url: Template;
  headers: Readonly<Record<string, Template>>;
  query: Readonly<Record<string, Template>>;
  /** Authorization header. */
  auth?: { type: 'basic'; username: Template; password: Template } | { type: 'bearer'; token: Template };
  body?: Template;
  /** Statuses that count as success. Empty: 200 to 299. */
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
/**
 * `config` as it was sent. The output is its resolved value, or `config` itself if it names no action and cannot be
 * resolved.
 */
type LogAction = { action: 'log'; config: Template; isChecked: boolean };

/** A step as the engine uses it. An undefined target means `next`; null ends the chain. */
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
        /** Messages published this long before the wait started count, too. Absent: since the run started. */
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
        /** Whether a run that fails in this step becomes a dead letter. */
        deadLetter: boolean;
        output?: Template;
      }
  );

/** One version of a definition, compiled from its JSON. */
export type Plan = { trigger: Trigger; entry: string | null; steps: readonly PlannedStep[] };
