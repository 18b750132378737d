import type { Plan, Trigger, PlannedStep } from '../configs/planned.ts';
import type { TriggerType, StepType } from '../../../kernel/contract/run-outline.ts';
import { plannedSchedule } from '../configs/schedule.ts';
import {
  type EventTriggerConfig,
  type ManualTriggerConfig,
  triggerConfigOf,
  type WebhookTriggerConfig,
} from '../configs/triggers.ts';
import type { ActionConfigs } from '../configs/actions.ts';
import { commonOf } from '../configs/fields.ts';
import {
  type Configs,
  stepConfigOf,
  plannedApproval,
  plannedWaitForEvent,
  plannedWorkflowStep,
} from '../configs/steps.ts';
import { plannedConnector } from '../configs/connector.ts';

/** A step as it was written, once its schema has been validated (problems.ts). */
export type WrittenStep = { id: string; type: StepType; config?: unknown; next?: string | null };

/** Completes a stored step. `next`: the following one in the definition's order. */
function plannedStep({ id, type, config = {} }: WrittenStep, next: string | null): PlannedStep {
  const parsed: unknown = stepConfigOf(type, config).parse(config);
  // `as`: the output type of the kind's schema, here and below.
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
    case 'wait_for_event':
      return { ...step, ...plannedWaitForEvent(as<'wait_for_event'>()) };
    case 'approval':
      return { ...step, ...plannedApproval(as<'approval'>()) };
    case 'workflow':
      return { ...step, ...plannedWorkflowStep(as<'workflow'>()) };
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
      const { status, error, deadLetter } = as<'end'>();
      return { ...step, type, status, deadLetter, ...(error !== undefined && { error }) };
    }
    default:
      return type satisfies never;
  }
}

/** Returns the kind of an action as it was written. */
export const actionOf = (config: unknown): unknown =>
  typeof config === 'object' && config !== null ? Reflect.get(config, 'action') : undefined;

function plannedAction(config: unknown, parsed: unknown) {
  const action = actionOf(config);
  if (action === 'http') {
    const { method, url, headers, query, auth, body, expectStatus } = parsed as ActionConfigs['http'];
    const more = { ...(auth !== undefined && { auth }), ...(body !== undefined && { body }) };
    return { action, method, url, headers, query, expectStatus, ...more } as const;
  }
  if (action === 'publish') {
    const { channelId, eventType, payload, metadata, idempotencyKey } = parsed as ActionConfigs['publish'];
    return {
      action,
      channelId,
      eventType,
      payload,
      metadata,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    } as const;
  }
  if (action === 'connector') return plannedConnector(parsed as ActionConfigs['connector']);
  return { action: 'log', config, isChecked: action === 'log' } as const;
}

/** Completes a stored trigger. A definition without one is started manually. */
function plannedTrigger(trigger: unknown): Trigger {
  // `as`: see planOf.
  const { type, config = {} } = (trigger ?? { type: 'manual' }) as { type: TriggerType; config?: unknown };
  switch (type) {
    case 'manual': {
      // `as`: the output type of the kind's schema, here and below.
      const { inputSchema } = triggerConfigOf(type).parse(config) as ManualTriggerConfig;
      return { type, ...(inputSchema !== undefined && { inputSchema }) };
    }
    case 'schedule':
      return plannedSchedule(config);
    case 'webhook': {
      const given = triggerConfigOf(type).parse(config) as WebhookTriggerConfig;
      return { type, webhookId: given.webhookId, ...ofMessages(given) };
    }
    case 'event': {
      const given = triggerConfigOf(type).parse(config) as EventTriggerConfig;
      const { channelId, channelIds = channelId === undefined ? [] : [channelId] } = given;
      return { type, source: 'channel', channelIds, ...ofMessages(given) };
    }
    default:
      return type satisfies never;
  }
}

const ofMessages = ({
  eventType,
  eventTypes,
  filter,
  cancelOn = [],
  dedupe,
  concurrency,
}: EventTriggerConfig | WebhookTriggerConfig) => ({
  eventTypes: eventTypes ?? (eventType === undefined ? [] : [eventType]),
  ...(filter !== undefined && { filter }),
  cancelOn,
  ...(dedupe !== undefined && { dedupe: { key: dedupe.key, windowMs: dedupe.window } }),
  ...(concurrency !== undefined && { concurrency }),
});

/** Compiles a stored definition, which was validated when it was written. Throws an Error otherwise. */
export function planOf(trigger: unknown, steps: unknown): Plan {
  // `as`: only definitions without problems (problems.ts) are stored.
  const written = (steps ?? []) as readonly WrittenStep[];
  const isOrdered = isPlainList(written);
  const planned = written.map((step, index) =>
    plannedStep(step, isOrdered ? (written[index + 1]?.id ?? null) : nextOf(step)),
  );
  return { trigger: plannedTrigger(trigger), entry: written[0]?.id ?? null, steps: planned };
}

/** Returns the next step; absent, null and empty mean none. */
const nextOf = ({ next }: WrittenStep): string | null => (next === undefined || next === '' ? null : next);

/**
 * Whether the steps simply follow each other in order (spec §1: an ordered list), because none of them names another
 * one. If any does, a step without `next` ends its chain.
 */
function isPlainList(steps: readonly WrittenStep[]): boolean {
  return steps.every(
    ({ type, config, next }) => (next ?? '') === '' && !waysOf(type, config).some((name) => isWay(config, name)),
  );
}

/**
 * Members of a config that can name steps. The config of an action without a kind can contain anything, so it names
 * none.
 */
const WAYS = ['onError', 'onTimeout', 'then', 'else', 'cases', 'default', 'body', 'branches', 'approved', 'rejected'];
const waysOf = (type: string, config: unknown): readonly string[] =>
  type !== 'action' ? WAYS : actionOf(config) === undefined ? [] : ['onError'];

/** Values of `onTimeout` that do not name a step. */
const WORDS_OF_TIMEOUTS: readonly unknown[] = ['continue', 'fail', 'reject', 'approve'];

function isWay(config: unknown, name: string): boolean {
  const value: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, name) : undefined;
  if (name === 'onTimeout') return value !== undefined && !WORDS_OF_TIMEOUTS.includes(value);
  return name === 'onError' ? Array.isArray(value) : value !== undefined;
}
