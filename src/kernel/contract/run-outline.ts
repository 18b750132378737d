import type { RetryPolicy } from './retry-policy.ts';

/** Types of steps. `action` has types of its own. Spec §2 defines `action`; the others are our additions. */
export const STEP_TYPES = [
  'action',
  'condition',
  'switch',
  'filter',
  'transform',
  'delay',
  'wait_for_event',
  'approval',
  'foreach',
  'parallel',
  'workflow',
  'end',
] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** Types of entries in a run's record: an item of a foreach has one too, once it has finished. */
export const RUN_STEP_TYPES = [...STEP_TYPES, 'item'] as const;

/** Types of actions. `log` has no effects; an action without one of these types is stored as sent and behaves like `log`. */
export const ACTIONS = ['http', 'publish', 'connector', 'log'] as const;
export type Action = (typeof ACTIONS)[number];

/** Types of triggers. Spec §2 defines `event`; the others are our additions. */
export const TRIGGER_TYPES = ['event', 'webhook', 'schedule', 'manual'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** What starts a run: a trigger, or a step of another run. */
export const RUN_TRIGGERS = [...TRIGGER_TYPES, 'workflow'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** Limits of definitions and runs (docs/reference/workflow-definition.md). */
export const WORKFLOW_BOUNDS = {
  steps: 100,
  definitionBytes: 262_144,
  /** Levels of foreach and parallel inside each other. */
  nesting: 2,
  items: 1_000,
  branches: 10,
  cases: 20,
  /** Different expressions in the templates of one step, and of a definition. */
  expressionsOfStep: 500,
  expressions: 1_000,
  /** Concurrent items of one foreach. */
  concurrency: 20,
  /** Concurrent steps of one run in its loops and branches. */
  atOnce: 50,
  waitMs: 365 * 86_400_000,
  /** Steps that one run executes, including those of loops. */
  executions: 10_000,
  /** Bytes of JSON of a step's output, and of all outputs of a run. */
  outputBytes: 262_144,
  contextBytes: 1_048_576,
  /** Length of a chain of runs in which each starts the next by a message or a step. */
  chainDepth: 10,
  /**
   * How much of that length a service event counts, so that at most two runs in a row are started by service events. Each failure
   * starts every workflow that subscribes to failures: with three that all fail, chains of ten would have 59,000 runs.
   */
  serviceEventDepth: 4,
  activeWorkflows: 100,
} as const;

/** What a run does when a step has failed permanently. The first branch that names the error's code, or `*`, is taken. */
export type OnError = 'fail' | 'continue' | 'pause' | readonly { errors: readonly string[]; next: string }[];

/** What every step has. Times in ms. */
type OutlineOfAnyStep = {
  /** Shown in the Temporal UI; up to 200 characters. */
  label: string;
  /** The next step, unless its type names another; null ends its chain. */
  next: string | null;
  /** Whether an expression decides if the step is skipped. */
  isConditional: boolean;
  onError: OnError;
};

/** The part of a step that a Temporal workflow needs. Expressions and templates stay in PostgreSQL, where its activities read them. */
export type OutlineStep = OutlineOfAnyStep &
  (
    | {
        type: 'action';
        action: Action;
        timeoutMs: number;
        retryPolicy: RetryPolicy;
        nonRetryableErrors: readonly string[];
      }
    | {
        type:
          | 'condition'
          | 'switch'
          | 'filter'
          | 'transform'
          | 'end'
          | 'delay'
          | 'wait_for_event'
          | 'approval'
          | 'workflow';
      }
    | { type: 'foreach'; body: string; concurrency: number; onItemError: 'fail' | 'continue' }
    | { type: 'parallel'; branches: readonly string[]; mode: 'all' | 'race' }
  );

/** The steps of a run by their ids. `entry` is the id of the first one; null if the definition has no steps. */
export type RunOutline = { entry: string | null; steps: Readonly<Record<string, OutlineStep>> };

/**
 * Codes of failed steps, as in `error.code`, in addition to `HTTP_404` and the like. docs/reference/workflow-definition.md explains
 * them.
 */
export const STEP_ERRORS = [
  'EXPRESSION',
  'TIMEOUT',
  'NETWORK',
  'BLOCKED_ADDRESS',
  'PAYLOAD_TOO_LARGE',
  'REFUSED',
  'INVALID_PARAMS',
  'CONNECTOR_MISSING',
  'CONNECTION_MISSING',
  'CONNECTION_UNREADABLE',
  'CONNECTION_UNAUTHORIZED',
  'TOKEN_REFUSED',
  'TOKEN_UNAVAILABLE',
  'SECRET_MISSING',
  'SECRET_UNREADABLE',
  'INVALID_REQUEST',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'WAIT_TIMEOUT',
  'APPROVAL_REJECTED',
  'CHILD_FAILED',
  'CHAIN_TOO_DEEP',
  'TOO_MANY_STEPS',
  'CRASHED',
  'INTERNAL',
] as const;

/** Statuses of responses and their classes, from 100 to 599. */
const HTTP_ERROR = /^HTTP_[1-5](?:\d\d|XX)$/;
const KNOWN: ReadonlySet<string> = new Set(STEP_ERRORS);

/** Whether `onError` or `nonRetryableErrors` may name it: a code that a step can fail with, a class of statuses, or `*` for all. */
export const isStepError = (name: string): boolean => name === '*' || KNOWN.has(name) || HTTP_ERROR.test(name);
