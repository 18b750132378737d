import { type Ref, useImperativeHandle, useRef } from 'react';
import { type WrittenProblem, problemsInJson } from '../../../lib/definition-problems.ts';
import { prettyText } from '../../../lib/raw-json.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeEditor, type CodeEditorHandle } from '../../../ui/code/code-editor.tsx';
import { useCompletions } from './use-completions.ts';
import type { WrittenDefinition } from './use-definition.ts';

/** Goes to the position of a problem in the JSON. */
export type JsonHandle = { goTo: (problem: WrittenProblem) => void };

/** The same definition as JSON. What the canvas does not support stays as it is written. */
export function JsonView({
  definition: { draft, text, syntax },
  isReadOnly,
  onChange,
  ref,
}: {
  definition: WrittenDefinition;
  isReadOnly: boolean;
  onChange: (text: string) => void;
  ref?: Ref<JsonHandle>;
}) {
  const editor = useRef<CodeEditorHandle>(null);
  const lastStep = draft.flow.steps.at(-1)?.key;
  const { secrets } = useCompletions(draft.flow, lastStep);
  const marks = problemsInJson(text, draft.problems, { ids: draft.stepIds });
  useImperativeHandle(ref, () => ({
    goTo(problem) {
      const mark = problemsInJson(text, [problem], { ids: draft.stepIds })[0];
      if (mark !== undefined) editor.current?.goTo(mark);
    },
  }));
  return (
    <div className="relative min-h-0 min-w-0 grow">
      <CodeEditor
        ref={editor}
        look="bare"
        label="Definition"
        language="json"
        height="fill"
        value={text}
        onChange={onChange}
        problems={syntax === undefined ? marks : [syntax]}
        completions={secrets}
        isReadOnly={isReadOnly}
      />
      {!isReadOnly && (
        <Button
          size="small"
          className="absolute top-2 right-4"
          isDisabled={syntax !== undefined}
          onClick={() => onChange(prettyText(text))}
        >
          Format
        </Button>
      )}
    </div>
  );
}
