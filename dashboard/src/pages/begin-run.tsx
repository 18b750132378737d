import { useState } from 'react';
import { api, isApiError, type Workflow } from '../api/client.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { JsonEditor } from '../parts/json-editor.tsx';
import { useGo } from '../parts/link.tsx';

/** Asks for the payload of a run that a person begins. The text goes as it is written: no number of it is read and written anew. */
export function BeginRun({ workflow, onClose }: { workflow: Pick<Workflow, 'id' | 'name'>; onClose: () => void }) {
  const t = useTexts();
  const { at } = useHere();
  const { act } = useActs();
  const go = useGo();
  const [payload, setPayload] = useState('{}');
  const [error, setError] = useState<unknown>();
  const badJson = jsonProblem(payload, t);
  const problems = problemsIn(error);
  const begin = (): void => {
    setError(undefined);
    if (badJson !== undefined) return;
    void act(
      async () => {
        const { id } = await api.runs.start(workflow.id, `{"payload":${payload}}`, at);
        go(`/runs/${id}`);
      },
      { onFailure: setError },
    );
  };
  return (
    <Dialog title={t.workflows.startOf(workflow.name)} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          begin();
        }}
      >
        <JsonEditor
          label={t.fields.payload}
          hint={t.workflows.startWhy}
          text={payload}
          onChange={(text) => {
            setPayload(text);
            setError(undefined);
          }}
          badJson={badJson}
          problems={problems}
          isReadOnly={false}
        />
        {problems.length === 0 && <Failure error={error} />}
        <FormButtons go={t.workflows.start} onCancel={onClose} isDisabled={badJson !== undefined} />
      </form>
    </Dialog>
  );
}

/** The place in the payload that a refusal names. */
function problemsIn(error: unknown): { field: string; reason: string }[] {
  if (!isApiError(error) || error.details === undefined) return [];
  const { field, reason } = error.details;
  return /^payload\b/.test(field) ? [{ field: field.replace(/^payload\.?/, ''), reason }] : [];
}
