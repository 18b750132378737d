import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { api, type Workflow } from '../api/client.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Diagram } from '../parts/diagram.tsx';
import { Failure } from '../parts/failure.tsx';
import { TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { useGo } from '../parts/link.tsx';
import { State } from '../parts/state.tsx';

const FIRST = `{
  "name": "Large orders",
  "trigger": {
    "type": "event",
    "config": { "eventTypes": ["order.created"], "filter": "payload.total > 100" }
  },
  "steps": [
    {
      "id": "note",
      "type": "action",
      "config": { "action": "log", "text": "An order of {{ event.payload.total }}" }
    }
  ]
}`;

export function NewWorkflowPage() {
  const t = useTexts();
  const { may } = useHere();
  if (!may('developer')) return <p>{t.common.notAllowed}</p>;
  return (
    <>
      <Heading title={t.workflows.make} />
      <WorkflowEditor text={FIRST} />
    </>
  );
}

/** A definition as JSON. The service checks it while it is written, and names each fault with its place. */
export function WorkflowEditor({ workflow, text: first }: { workflow?: Workflow; text: string }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [text, setText] = useState(first);
  const [error, setError] = useState<unknown>();
  const written = useDeferredValue(text);
  const badJson = jsonProblem(written);
  const verdict = useQuery({
    queryKey: [path, 'validation', written],
    queryFn: async ({ signal }) => {
      // A pause of the writer, before anything is asked.
      await new Promise((resolve) => setTimeout(resolve, 400));
      signal.throwIfAborted();
      return api.workflows.validate(written, { ...at, signal });
    },
    enabled: badJson === undefined && may('developer'),
    retry: false,
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const save = (): void => {
    setError(undefined);
    void act(
      async () => {
        // The text goes as it is written: no number of it is read and written anew.
        if (workflow === undefined) go(`/workflows/${(await api.workflows.create(text, at)).id}`);
        else await api.workflows.update(workflow.id, text, at);
        await refresh();
      },
      { told: t.common.saved, onFailure: setError },
    );
  };
  return (
    <div className="columns">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label={t.workflows.definition}
          hint={t.workflows.definitionHint}
          value={text}
          onChange={setText}
          lines={24}
          problem={badJson}
        />
        <div aria-live="polite" className="stack">
          {badJson === undefined && verdict.data?.valid === true && <State of="delivered" word={t.workflows.valid} />}
          {badJson === undefined && verdict.data?.valid === false && (
            <ul className="stack">
              {verdict.data.errors.map(({ field, reason }) => (
                <li key={`${field} ${reason}`}>
                  <State of="failed" word={<code>{field}</code>} /> {reason}
                </li>
              ))}
            </ul>
          )}
        </div>
        <Failure error={error} />
        {may('developer') && (
          <div className="buttons">
            <button type="submit" className="button main" disabled={badJson !== undefined}>
              {workflow === undefined ? t.workflows.make : t.common.save}
            </button>
          </div>
        )}
      </form>
      {badJson === undefined && <Diagram text={text} />}
    </div>
  );
}
