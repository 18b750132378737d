import { createConnectorAction } from '../../automations/engine/actions/connector-action.ts';
import type { Workflows } from '../../automations/definitions/service.ts';
import { createHttpAction } from '../../automations/engine/actions/http-action.ts';
import { createPublishAction } from '../../automations/engine/actions/publish-action.ts';
import { createStepExpressions } from '../../automations/expressions/expressions.ts';
import { createTrials, type Trials } from '../../automations/trials/service.ts';
import type { ProcessDependencies } from './create-dependencies.ts';

/** Trials of workflows. They prepare their actions as runs do, and reach nobody. */
export function createTrialsOf(deps: ProcessDependencies, workflows: Pick<Workflows, 'definitionOf'>): Trials {
  const expressions = createStepExpressions();
  const reachNobody = (): Promise<never> => Promise.reject(new Error('a trial reaches nobody'));
  return createTrials({
    ...deps,
    workflows,
    expressions,
    kinds: {
      http: createHttpAction({ sender: { send: reachNobody }, expressions, openSecrets: reachNobody }),
      publish: createPublishAction({ publish: reachNobody, expressions }),
      connector: createConnectorAction({
        sender: { send: reachNobody },
        expressions,
        openSecrets: reachNobody,
        openConnection: reachNobody,
      }),
    },
  });
}
