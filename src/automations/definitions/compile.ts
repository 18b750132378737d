import type { OutlineStep, RunOutline } from '../../contract/run-outline.ts';
import {
  commonOf,
  type Configs,
  type EventTriggerConfig,
  stepConfigOf,
  type SupportedStep,
  triggerConfigOf,
} from './configs.ts';
import type { Plan, PlannedStep, Trigger } from './plan.ts';

/** A step as its author wrote it, once its form is known to be right (problems.ts). */
export type WrittenStep = { id: string; type: SupportedStep; config?: unknown; next?: string | null };

/**
 * Compiles a stored definition, which was checked when it was written. Throws an Error for one that was not.
 */
export function planOf(trigger: unknown, steps: unknown): Plan {
  // `as`: only what problems.ts has no complaint about is stored.
  const written = (steps ?? []) as readonly WrittenStep[];
  const isOrdered = isPlainList(written);
  const planned = written.map((step, index) =>
    plannedStep(step, isOrdered ? (written[index + 1]?.id ?? null) : nextOf(step)),
  );
  return { trigger: plannedTrigger(trigger), entry: written[0]?.id ?? null, steps: planned };
}

/** The step behind this one; absent, null and empty mean none. */
const nextOf = ({ next }: WrittenStep): string | null => (next === undefined || next === '' ? null : next);

/**
 * Whether the steps follow each other as they stand (spec §1: an ordered list): none of them names another one. As soon as one does,
 * a step without `next` ends its chain.
 */
function isPlainList(steps: readonly WrittenStep[]): boolean {
  return steps.every(
    ({ type, config, next }) => (next ?? '') === '' && !waysOf(type).some((name) => isWay(config, name)),
  );
}

/** An action's config may hold anything else that its author likes. */
const waysOf = (type: string): readonly string[] =>
  type === 'action' ? ['onError'] : ['onError', 'then', 'else', 'cases', 'default', 'body', 'branches'];

function isWay(config: unknown, name: string): boolean {
  const value: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, name) : undefined;
  return name === 'onError' ? Array.isArray(value) : value !== undefined;
}

function plannedTrigger(trigger: unknown): Trigger {
  // `as`: see planOf.
  const { type, config = {} } = (trigger ?? { type: 'manual' }) as { type: 'event' | 'manual'; config?: unknown };
  if (type === 'manual') return { type };
  const given = triggerConfigOf(type).parse(config) as EventTriggerConfig;
  return {
    type,
    source: 'channel',
    channelIds: given.channelIds ?? (given.channelId === undefined ? [] : [given.channelId]),
    eventTypes: given.eventTypes ?? (given.eventType === undefined ? [] : [given.eventType]),
    ...(given.filter !== undefined && { filter: given.filter }),
    cancelOn: [],
  };
}

function plannedStep({ id, type, config = {} }: WrittenStep, next: string | null): PlannedStep {
  const parsed: unknown = stepConfigOf(type, config).parse(config);
  // `as`: that is what the schema of the kind gives, and so below.
  const shared = (type === 'action' && actionOf(config) === undefined ? {} : parsed) as Configs['end'];
  const step = {
    id,
    label: shared.label ?? id,
    next,
    ...(shared.if !== undefined && { if: shared.if }),
    ...(shared.output !== undefined && { output: shared.output }),
    ...commonOf(shared),
  };
  const as = <Kind extends keyof Configs>(): Configs[Kind] => parsed as Configs[Kind];
  switch (type) {
    case 'action':
      return { ...step, type, ...plannedAction(config, parsed) };
    case 'condition': {
      const { expression, then: whenTrue, else: whenFalse } = as<'condition'>();
      return {
        ...step,
        type,
        expression,
        ...(whenTrue !== undefined && { whenTrue }),
        ...(whenFalse !== undefined && { whenFalse }),
      };
    }
    case 'switch': {
      const { cases, default: otherwise } = as<'switch'>();
      return { ...step, type, cases, ...(otherwise !== undefined && { default: otherwise }) };
    }
    case 'filter':
      return { ...step, type, expression: as<'filter'>().expression };
    case 'transform': {
      const { set, assign } = as<'transform'>();
      return { ...step, type, set, assign };
    }
    case 'delay': {
      const { for: forMs, until } = as<'delay'>();
      return { ...step, type, ...(forMs !== undefined && { forMs }), ...(until !== undefined && { until }) };
    }
    case 'foreach': {
      const { items, body, concurrency, maxItems, onItemError, collect } = as<'foreach'>();
      return {
        ...step,
        type,
        items,
        body,
        concurrency,
        maxItems,
        onItemError,
        ...(collect !== undefined && { collect }),
      };
    }
    case 'parallel': {
      const { branches, mode } = as<'parallel'>();
      return { ...step, type, branches, mode };
    }
    case 'end': {
      const { status, error } = as<'end'>();
      return { ...step, type, status, ...(error !== undefined && { error }) };
    }
    default:
      return type satisfies never;
  }
}

/** The kind of an action, as its author wrote it. */
export const actionOf = (config: unknown): unknown =>
  typeof config === 'object' && config !== null ? Reflect.get(config, 'action') : undefined;

function plannedAction(config: unknown, parsed: unknown) {
  const action = actionOf(config);
  if (action === 'http') {
    const { method, url, headers, query, body, expectStatus } = parsed as Configs['http'];
    return { action, method, url, headers, query, expectStatus, ...(body !== undefined && { body }) } as const;
  }
  if (action === 'publish') {
    const { channelId, eventType, payload, metadata, idempotencyKey } = parsed as Configs['publish'];
    return {
      action,
      channelId,
      eventType,
      payload,
      metadata,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    } as const;
  }
  return { action: 'log', config } as const;
}

/** The part of a plan that the Temporal workflow of a run has to know. */
export function outlineOf({ entry, steps }: Plan): RunOutline {
  return { entry, steps: Object.fromEntries(steps.map((step) => [step.id, outlineOfStep(step)])) };
}

function outlineOfStep(step: PlannedStep): OutlineStep {
  const { label, next, onError, timeoutMs, retryPolicy, nonRetryableErrors } = step;
  const shared = { label, next, onError, isConditional: step.if !== undefined };
  switch (step.type) {
    case 'action':
      return { ...shared, type: step.type, action: step.action, timeoutMs, retryPolicy, nonRetryableErrors };
    case 'foreach': {
      const { type, body, concurrency, onItemError } = step;
      return { ...shared, type, body, concurrency, onItemError };
    }
    case 'parallel': {
      const { type, branches, mode } = step;
      return { ...shared, type, branches, mode };
    }
    case 'workflow':
      return { ...shared, type: step.type, isAwaited: step.isAwaited, timeoutMs };
    default:
      return { ...shared, type: step.type };
  }
}
