import { connectorTemplates } from '../configs/connector.ts';
import type { PlannedStep } from '../configs/planned.ts';

/** The templates of a step that may hold secrets, with their fields in its config. */
export function secretTemplatesOf(step: PlannedStep): { field: string; template: unknown }[] {
  if (step.type !== 'action') return [];
  if (step.action === 'connector') return connectorTemplates(step).filter(({ maySecret }) => maySecret);
  if (step.action !== 'http') return [];
  return [
    { field: 'headers', template: step.headers },
    { field: 'query', template: step.query },
    { field: 'auth', template: step.auth },
  ];
}
