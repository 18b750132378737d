import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { api, type Workflow } from '../api/client.ts';
import { stepIds } from '../lib/definition-edit.ts';
import { jsonTree, withValue } from '../lib/json-edit.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { memberText, prettyText } from '../lib/raw-json.ts';
import { useRefresh } from '../lib/refresh.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { TEMPLATE_NAMES, TEMPLATES } from '../lib/workflow-templates.ts';
import { useActs } from '../parts/acts.tsx';
import { DefinitionForm } from '../parts/definition-form.tsx';
import { Diagram } from '../parts/diagram.tsx';
import { Failure } from '../parts/failure.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { JsonEditor } from '../parts/json-editor.tsx';
import { useGo } from '../parts/link.tsx';
import { NewerState } from '../parts/newer-state.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { State } from '../parts/state.tsx';
import { useEdits } from '../parts/use-edits.ts';

export function NewWorkflowPage() {
  const t = useTexts();
  const { may } = useHere();
  const [search] = useAddress();
  if (!may('developer')) return <NotAllowed />;
  return (
    <>
      <Heading title={t.workflows.make} />
      <WorkflowEditor text={TEMPLATES[oneOf(search['template'], TEMPLATE_NAMES) ?? 'event']} />
    </>
  );
}

/** The parts that an author writes, as they are stored. `text`: the answer with the workflow. */
export function definitionOf(text: string): string {
  const parts = ['name', 'description', 'trigger', 'steps'].flatMap((name) => {
    const part = memberText(text, name);
    return part === undefined ? [] : [`"${name}":${part}`];
  });
  return prettyText(`{${parts.join(',')}}`);
}

const fieldsOf = (answer: { text: string }) => ({ text: definitionOf(answer.text) });

/**
 * A definition as a form and as JSON, side by side: the text is the one thing that is kept, and each change in the form is one of it. The
 * service checks it while it is written, and both show each fault at its place.
 */
export function WorkflowEditor({ workflow, text: first }: { workflow?: Workflow; text: string }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const edits = useEdits({ text: first }, `${path} workflow ${workflow?.id ?? 'new'}`);
  const { text } = edits.values;
  const [error, setError] = useState<unknown>();
  const written = useDeferredValue(text);
  const badJson = jsonProblem(text, t);
  // The form shows the newest text that was JSON.
  const latest = useRef(text);
  if (badJson === undefined) latest.current = text;
  const good = latest.current;
  const verdict = useQuery({
    queryKey: [path, 'validation', workflow?.id, written],
    queryFn: async ({ signal }) => {
      // A pause of the writer, before anything is asked.
      await new Promise((resolve) => setTimeout(resolve, 400));
      signal.throwIfAborted();
      // As a change of the workflow: it may not begin itself, and what is left out stays.
      const asked = workflow === undefined ? written : withValue(written, ['id'], JSON.stringify(workflow.id));
      return api.workflows.validate(asked, { ...at, signal });
    },
    enabled: badJson === undefined && may('developer'),
    retry: false,
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const change = (next: string): void => edits.write({ text: next });
  const tree = useMemo(() => jsonTree(good), [good]);
  const problems = badJson === undefined && verdict.data?.valid === false ? verdict.data.errors : [];
  const draft = { text: good, tree, stepIds: stepIds(good, tree), problems, change };
  const save = (): void => {
    setError(undefined);
    // The text goes as it is written: no number of it is read and written anew.
    if (workflow !== undefined)
      edits.save({
        read: async () => fieldsOf(await api.workflows.get(workflow.id, at).withAnswer()),
        send: async () => fieldsOf(await api.workflows.update(workflow.id, text, at).withAnswer()),
        refresh,
        onFailure: setError,
      });
    else
      void act(
        async () => {
          const { id } = await api.workflows.create(text, at);
          edits.drop();
          go(`/workflows/${id}`);
          await refresh();
        },
        { told: t.common.saved, onFailure: setError },
      );
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {workflow === undefined && <Templates text={text} onChoose={edits.drop} />}
      {edits.isRestored && (
        <div className="note">
          <span>{t.definition.restored}</span>{' '}
          <button
            type="button"
            className="button"
            onClick={({ currentTarget: { form } }) => {
              edits.drop();
              // The button goes, and the keys would be nowhere.
              form?.querySelector<HTMLElement>('input')?.focus();
            }}
          >
            {t.definition.beginAnew}
          </button>
        </div>
      )}
      <div className="columns">
        <fieldset disabled={badJson !== undefined || !may('developer')} aria-label={t.definition.form}>
          {badJson !== undefined && <p className="note bad">{t.definition.mendJson}</p>}
          <DefinitionForm draft={draft} />
        </fieldset>
        <div className="stays">
          <JsonEditor
            label={t.workflows.definition}
            hint={t.workflows.definitionHint}
            text={text}
            onChange={change}
            badJson={badJson}
            problems={problems}
            isReadOnly={!may('developer')}
          />
          <div aria-live="polite">
            {badJson === undefined && verdict.data?.valid === true && <State of="delivered" word={t.workflows.valid} />}
          </div>
          {workflow !== undefined && (
            <NewerState edits={edits} at={workflow.updatedAt} names={{ text: t.workflows.definition }} />
          )}
          <Failure error={error} />
          {may('developer') && (
            <>
              <div className="buttons">
                <button type="submit" className="button main" disabled={badJson !== undefined}>
                  {workflow === undefined ? t.workflows.make : t.common.save}
                </button>
              </div>
              <ShellButton />
            </>
          )}
          <Diagram text={good} />
        </div>
      </div>
    </form>
  );
}

/** Definitions to begin with, until one is changed: another one would take its place. The address says which. */
function Templates({ text, onChoose }: { text: string; onChoose: () => void }) {
  const t = useTexts();
  const [, changeAddress] = useAddress();
  if (TEMPLATE_NAMES.every((name) => TEMPLATES[name] !== text)) return null;
  return (
    <div className="buttons" role="group" aria-label={t.definition.templates.title}>
      {TEMPLATE_NAMES.map((name) => (
        <button
          key={name}
          type="button"
          className="button choice"
          aria-pressed={TEMPLATES[name] === text}
          onClick={() => {
            onChoose();
            changeAddress({ template: name });
          }}
        >
          {t.definition.templates[name]}
        </button>
      ))}
    </div>
  );
}
