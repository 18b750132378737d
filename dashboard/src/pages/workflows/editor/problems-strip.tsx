import { TriangleAlert } from 'lucide-react';
import { type WrittenProblem, stepOf, told, toldText } from '../../../lib/definition-problems.ts';
import { TRIGGER } from '../../../lib/flow-graph.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Kbd } from '../../../ui/kbd.tsx';
import type { WrittenDefinition } from './use-definition.ts';

type Given = {
  definition: WrittenDefinition;
  /** The problem that the button leads to. */
  next: WrittenProblem | undefined;
  onGo: () => void;
};

/** What the service says is wrong with the definition, with a button that goes to the next problem. */
export function ProblemsStrip({ definition, next, onGo }: Given) {
  const { draft, syntax, isChanged, isChecked, refusal } = definition;
  const count = draft.problems.length;
  return (
    <section
      aria-label="Problems"
      className="flex h-10 shrink-0 items-center gap-3 border-t border-line bg-surface pr-5 pl-6 whitespace-nowrap max-md:px-4"
    >
      <div aria-live="polite" className="flex min-w-0 items-center gap-2.5">
        {syntax !== undefined ? (
          <>
            <Icon of={TriangleAlert} isSmall className="text-failed" />
            <strong className="font-medium">Fix line {syntax.line} to continue</strong>
            <span className="truncate text-text-2">{syntax.message}</span>
          </>
        ) : next !== undefined ? (
          <>
            <Icon of={TriangleAlert} isSmall className="text-failed" />
            <strong className="font-medium">
              {count === 1 ? '1 problem' : count >= 20 ? '20+ problems' : `${count} problems`}
            </strong>
            <span className="mono truncate max-md:hidden">{placeOf(next, draft)}</span>
            <span className="truncate text-text-2">{toldText(told(next, draft.stepIds))}</span>
          </>
        ) : refusal !== undefined ? (
          <>
            <Icon of={TriangleAlert} isSmall className="text-failed" />
            <span className="truncate">{refusal}</span>
          </>
        ) : (
          <span className="text-text-3">{isChecked ? 'No problems' : 'Checking…'}</span>
        )}
      </div>
      {(next !== undefined || syntax !== undefined) && (
        <Button look="quiet" size="small" className="text-accent! shrink-0" onClick={onGo}>
          {count > 1 ? 'Go to next' : 'Go to it'}
          <Kbd>F8</Kbd>
        </Button>
      )}
      <span className="grow" />
      <span className="text-12 text-text-3 max-md:hidden">
        {isChanged ? 'Unsaved changes are kept in this tab' : ''}
      </span>
    </section>
  );
}

/** Returns `create_invoice › body.approvedBy`. */
function placeOf(problem: WrittenProblem, draft: WrittenDefinition['draft']): string {
  const key = stepOf(problem, draft.flow);
  if (key === undefined) return problem.field;
  const rest = problem.field.replace(/^(?:trigger|steps\[\d+\])\.?/, '').replace(/^config\.?/, '');
  const step = key === TRIGGER ? 'Trigger' : (draft.flow.steps.find((each) => each.key === key)?.id ?? key);
  return rest === '' ? step : `${step} › ${rest}`;
}
