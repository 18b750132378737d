import { useState } from 'react';
import { api, isApiError, type Workflow } from '../../api/client.ts';
import { problemsInJson } from '../../lib/definition-problems.ts';
import { isJsonText } from '../../lib/json-text.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useGo } from '../../parts/link.tsx';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';

/**
 * Asks for the payload of a manually started run. The text is sent exactly as it was entered, so that no number is
 * parsed and rewritten.
 */
export function StartRun({ workflow, onClose }: { workflow: Pick<Workflow, 'id' | 'name'>; onClose: () => void }) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const go = useGo();
  const [payload, setPayload] = useState('{}');
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const problems = problemsIn(error);
  const isBad = !isJsonText(payload);
  const send = () => api.runs.start(workflow.id, `{"payload":${payload}}`, at);
  const request = useRequestToggle(() => (isBad ? undefined : send()));
  const start = async (): Promise<void> => {
    setError(undefined);
    setIsBusy(true);
    await act(
      async () => {
        const { id } = await send();
        go(`/runs/${id}`);
      },
      { onFailure: setError },
    );
    setIsBusy(false);
  };
  return (
    <Dialog
      title={`Start a run of ${workflow.name}`}
      size="wide"
      environment={environment}
      onClose={onClose}
      onSubmit={() => void start()}
      actions={
        <>
          {request.button}
          <DialogButtons
            go="Start run"
            onCancel={onClose}
            isBusy={isBusy}
            isDisabled={isBad}
            why={isBad ? 'Fix the JSON first' : undefined}
          />
        </>
      }
    >
      <CodeEditor
        label="Payload"
        language="json"
        hint="Steps read it as event.payload"
        minLines={8}
        hasFocus
        value={payload}
        onChange={(text) => {
          setPayload(text);
          setError(undefined);
        }}
        problems={problemsInJson(payload, problems, { ids: [] })}
      />
      {problems.length === 0 && <FailureNote error={error} />}
      {request.lines}
    </Dialog>
  );
}

/** Returns the position in the payload that an error refers to. */
function problemsIn(error: unknown): { field: string; reason: string }[] {
  if (!isApiError(error) || error.details === undefined) return [];
  const { field, reason } = error.details;
  return /^payload\b/.test(field) ? [{ field: field.replace(/^payload\.?/, ''), reason }] : [];
}
