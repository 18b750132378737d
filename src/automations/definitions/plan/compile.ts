import type { Plan } from '../configs/planned.ts';
import { actionOf, plannedStep, type WrittenStep } from './planned-step.ts';
import { plannedTrigger } from './planned-trigger.ts';

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
    ({ type, config, next }) => (next ?? '') === '' && !waysOf(type, config).some((name) => isWay(config, name)),
  );
}

/** Members of a config that may name steps. An action's may hold whatever its author likes; one that does nothing names none. */
const WAYS = ['onError', 'onTimeout', 'then', 'else', 'cases', 'default', 'body', 'branches', 'approved', 'rejected'];
const waysOf = (type: string, config: unknown): readonly string[] =>
  type !== 'action' ? WAYS : actionOf(config) === undefined ? [] : ['onError'];

/** Ends of a wait that lead to no step. */
const WORDS_OF_TIMEOUTS: readonly unknown[] = ['continue', 'fail', 'reject', 'approve'];

function isWay(config: unknown, name: string): boolean {
  const value: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, name) : undefined;
  if (name === 'onTimeout') return value !== undefined && !WORDS_OF_TIMEOUTS.includes(value);
  return name === 'onError' ? Array.isArray(value) : value !== undefined;
}
