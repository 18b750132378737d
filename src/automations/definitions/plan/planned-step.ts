import type { StepType } from '../../../kernel/contract/run-outline.ts';
import type { ActionConfigs } from '../configs/actions.ts';
import { commonOf } from '../configs/fields.ts';
import { type Configs, stepConfigOf } from '../configs/steps.ts';
import { plannedConnector } from '../configs/connector.ts';
import type { PlannedStep } from '../configs/planned.ts';
import { plannedApproval } from '../configs/approval.ts';
import { plannedWaitForEvent } from '../configs/wait-for-event.ts';
import { plannedWorkflowStep } from '../configs/workflow-step.ts';

/** A step as its author wrote it, once its form is known to be right (problems.ts). */
export type WrittenStep = { id: string; type: StepType; config?: unknown; next?: string | null };

/** Completes a stored step. `next`: the one behind it in the definition's order. */
export function plannedStep({ id, type, config = {} }: WrittenStep, next: string | null): PlannedStep {
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

/** The kind of an action, as its author wrote it. */
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
