import type { RetryPolicy } from './retry-policy.ts';

/** Kinds of steps. `action` has kinds of its own. Spec §2 shows `action`; the others are ours. */
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

/** Kinds of the lines of a run's record: an item of a foreach has one too, once it has ended. */
export const RUN_STEP_TYPES = [...STEP_TYPES, 'item'] as const;

/** Kinds of actions. `log` touches nothing: an action that names none of them is kept as sent, and does as `log` does. */
export const ACTIONS = ['http', 'publish', 'connector', 'log'] as const;
export type Action = (typeof ACTIONS)[number];

/** Kinds of triggers. Spec §2 shows `event`; the others are ours. */
export const TRIGGER_TYPES = ['event', 'webhook', 'schedule', 'manual'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** Beginnings of runs: by a trigger, or by a step of another run. */
export const RUN_TRIGGERS = [...TRIGGER_TYPES, 'workflow'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** Bounds of definitions and of runs (docs/reference/workflow-definition.md). */
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
  /** Items of one foreach at a time. */
  concurrency: 20,
  /** Steps of one run that its loops and branches let be under way at a time. */
  atOnce: 50,
  waitMs: 365 * 86_400_000,
  /** Steps that one run executes, those of loops included. */
  executions: 10_000,
  /** Bytes of JSON that a step's output may have, and that all outputs of a run may have. */
  outputBytes: 262_144,
  contextBytes: 1_048_576,
  /** Runs that a run may start by a message or a step, one below the other. */
  chainDepth: 10,
  /**
   * How many of them a service event counts as, so that two runs begin after one another by service events. Each failure begins every
   * workflow that hears of failures: were there three that all fail, chains of ten would have 59,000 runs.
   */
  serviceEventDepth: 4,
  activeWorkflows: 100,
} as const;

/** Where a run goes when a step has failed for good. The first branch that names the error's code, or `*`, is taken. */
export type OnError = 'fail' | 'continue' | 'pause' | readonly { errors: readonly string[]; next: string }[];

/** All that every step has. Times in ms. */
type OutlineOfAnyStep = {
  /** For people who look at the Temporal UI; at most 200 characters. */
  label: string;
  /** The step behind this one, where its kind names no other; null ends its chain. */
  next: string | null;
  /** Whether an expression decides that the step is left out. */
  isConditional: boolean;
  onError: OnError;
};

/**
 * The part of a step that a Temporal workflow has to know. Expressions and templates stay in PostgreSQL, where its activities read them.
 */
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

/** The steps of a run, by their ids. `entry` is the first one's; a definition without steps has none. */
export type RunOutline = { entry: string | null; steps: Readonly<Record<string, OutlineStep>> };

/**
 * Codes of failed steps, as `error.code` shows them; `HTTP_404` and the like beside them. docs/reference/workflow-definition.md says
 * what each means.
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

/** Statuses of answers and their hundreds, from 100 to 599. */
const HTTP_ERROR = /^HTTP_[1-5](?:\d\d|XX)$/;
const KNOWN: ReadonlySet<string> = new Set(STEP_ERRORS);

/** Whether `onError` or `nonRetryableErrors` may name it: a code that a step can fail with, a hundred of statuses, or `*` for all. */
export const isStepError = (name: string): boolean => name === '*' || KNOWN.has(name) || HTTP_ERROR.test(name);
