import type { CancelOn, Trigger } from '../configs/planned.ts';

/** Messages that cancel the runs of a trigger. */
export const cancelOnOf = (trigger: Trigger): readonly CancelOn[] => ('cancelOn' in trigger ? trigger.cancelOn : []);

/** The name that an entry of `cancelOn` has beside the ids of steps, which have no brackets. */
export const watchId = (index: number): string => `cancelOn[${index}]`;

const NAME = /^cancelOn\[(\d+)\]$/;

export const isWatch = (stepId: string): boolean => NAME.test(stepId);

/** The entry of this name. */
export function watchOf(trigger: Trigger, stepId: string): CancelOn | undefined {
  const index = NAME.exec(stepId)?.[1];
  return index === undefined ? undefined : cancelOnOf(trigger)[Number(index)];
}
