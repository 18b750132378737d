import type { Filters } from '../../messaging/filters/filters.ts';
import { UNITS_OF_A_CHANNEL } from '../../messaging/filters/expressions/units.ts';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import { planOf } from './plan/compile.ts';
import { triggerFilter } from './plan/trigger-filter.ts';

/** Whether an environment has a place for one more active workflow. */
export type Activation = {
  /** Why not, for a person; undefined when it has. Triggers are JSON texts; `active` are those of the others. */
  problemOf(trigger: string, active: readonly string[]): string | undefined;
};

/**
 * A message may be asked about by every active workflow of its environment. Their number is therefore bounded, and their different
 * filters together may take as many units as the filters of one channel's subscriptions (docs/filters.md).
 */
export function createActivation({ filters }: { filters: Pick<Filters, 'measure'> }): Activation {
  const filtersOf = (triggers: readonly string[]): string[] =>
    triggers.flatMap((text) => {
      const { trigger } = planOf(JSON.parse(text), []);
      const isByMessage = trigger.type === 'event' || trigger.type === 'webhook';
      return isByMessage && trigger.filter !== undefined ? [triggerFilter(trigger.filter)] : [];
    });
  const unitsOf = (expression: string): number => {
    const measured = filters.measure(expression);
    return 'problem' in measured ? 0 : measured.units;
  };

  return {
    problemOf(trigger, active) {
      if (active.length >= WORKFLOW_BOUNDS.activeWorkflows)
        return `The environment has ${WORKFLOW_BOUNDS.activeWorkflows} active workflows, which is as many as it may have`;
      const others = new Set(filtersOf(active));
      const [own] = filtersOf([trigger]);
      if (own === undefined || others.has(own)) return undefined;
      const taken = [...others].reduce((sum, expression) => sum + unitsOf(expression), 0);
      const free = Math.max(UNITS_OF_A_CHANNEL - taken, 0);
      return unitsOf(own) > free
        ? `The filter of the trigger takes up to ${unitsOf(own)} units for one message, and the environment has ${free} left: filters of its other active workflows take ${taken} of ${UNITS_OF_A_CHANNEL}`
        : undefined;
    },
  };
}
