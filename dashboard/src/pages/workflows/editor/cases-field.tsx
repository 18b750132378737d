import { Plus, X } from 'lucide-react';
import { problemsAt } from '../../../lib/definition-problems.ts';
import { withExplicitOrder } from '../../../lib/flow-edit.ts';
import type { FlowStep } from '../../../lib/flow-graph.ts';
import { nodeAt, valueText, withValue } from '../../../lib/json-edit.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import type { Completions } from '../../../ui/code/completion.ts';
import type { Draft } from './use-definition.ts';
import { WrittenField } from './written-field.tsx';

/** The cases of a switch, of which the first match applies. Their target steps are in the Flow tab. */
export function CasesField({ draft, step, completions }: { draft: Draft; step: FlowStep; completions: Completions }) {
  const at = ['steps', step.index, 'config', 'cases'];
  const atField = `steps[${step.index}].config.cases`;
  const list = nodeAt(draft.tree, at);
  const count = list?.kind === 'array' ? list.items.length : 0;
  const isBadList = list !== undefined && list.kind !== 'array';
  if (isBadList)
    return (
      <WrittenField
        label="Cases"
        kind="json"
        raw={valueText(draft.text, draft.tree, at)}
        onChange={(raw) => draft.change(withValue(draft.text, at, raw))}
        field={atField}
        problems={problemsAt(draft.problems, atField)}
        stepIds={draft.stepIds}
        isReadOnly={draft.isReadOnly}
      />
    );
  const whole = draft.problems.find(({ field }) => field === atField);
  return (
    <div className="flex flex-col gap-2.5" role="group" aria-label="Cases">
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="flex items-start gap-1">
          <div className="min-w-0 grow">
            <WrittenField
              label={`Case ${index + 1}`}
              kind="cel"
              placeholder="event.payload.country == 'DE'"
              raw={valueText(draft.text, draft.tree, [...at, index, 'when'])}
              onChange={(raw) =>
                draft.change(withValue(draft.text, [...at, index, 'when'], raw ?? '""'), `case ${index}`)
              }
              field={`${atField}[${index}].when`}
              problems={problemsAt(draft.problems, `${atField}[${index}].when`)}
              stepIds={draft.stepIds}
              completions={completions}
              isReadOnly={draft.isReadOnly}
              isKept
            />
          </div>
          {!draft.isReadOnly && (
            <IconButton
              icon={X}
              label={`Remove case ${index + 1}`}
              size="small"
              className="mt-6"
              onClick={() => draft.change(withValue(draft.text, [...at, index], undefined))}
            />
          )}
        </div>
      ))}
      {whole !== undefined && <p className="text-12 text-failed">Add at least one case</p>}
      {!draft.isReadOnly && (
        <Button
          size="small"
          icon={Plus}
          className="self-start"
          onClick={() =>
            draft.change(withValue(withExplicitOrder(draft.text), [...at, count], '{ "when": "", "next": null }'))
          }
        >
          Add case
        </Button>
      )}
    </div>
  );
}
