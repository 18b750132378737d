import { Braces, FlaskConical, Pencil, Play, Redo2, Undo2, Workflow as WorkflowIcon } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { api, type Workflow } from '../../../api/client.ts';
import { requestsOf, type Written } from '../../../api/requests.ts';
import { problemCounts, stepOf } from '../../../lib/definition-problems.ts';
import { withCopy, withoutStep, withStepOn, withTarget } from '../../../lib/flow-edit.ts';
import { flowOf, TRIGGER } from '../../../lib/flow-graph.ts';
import { withValue } from '../../../lib/json-edit.ts';
import { useKeys } from '../../../lib/keys.ts';
import { chosenWays } from '../../../lib/taken-ways.ts';
import { memberText } from '../../../lib/raw-json.ts';
import { useRefresh } from '../../../lib/refresh.ts';
import { oneOf, useAddress } from '../../../lib/search.ts';
import { useHere } from '../../../lib/session.ts';
import { useActs } from '../../../parts/acts.tsx';
import { EquivalentRequest } from '../../../parts/equivalent-request.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { useGo } from '../../../parts/link.tsx';
import { Page } from '../../../shell/page.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Note } from '../../../ui/callout.tsx';
import { MoreMenu } from '../../../ui/menu.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Segmented, Tabs } from '../../../ui/tabs.tsx';
import type { CanvasEdit } from '../canvas/workflow-canvas.tsx';
import { useDefinitionNames } from '../use-definition-names.ts';
import { RunsTab } from '../runs-tab.tsx';
import { WorkflowSettingsTab } from '../settings-tab.tsx';
import { StartRun } from '../start-run.tsx';
import { VersionsTab } from '../versions-tab.tsx';
import { Inspector } from './inspector.tsx';
import { type JsonHandle, JsonView } from './json-view.tsx';
import type { TestResult } from './last-result.tsx';
import { ProblemsStrip } from './problems-strip.tsx';
import { FIRST_INPUT, inputFor, type TestInput, TestRun } from './test-run.tsx';
import {
  DeleteWorkflow,
  Restored,
  statesOf,
  TestBar,
  useScreenEscape,
  useIsNarrow,
  WorkflowStatus,
  WorkflowTitle,
} from './screen-parts.tsx';
import { definitionOf, nameIn, useDefinition, useUndoKeys } from './use-definition.ts';

/** The canvas and its layout are a separate chunk, loaded only by users who open a workflow. */
const WorkflowCanvas = lazy(() =>
  import('../canvas/workflow-canvas.tsx').then((all) => ({ default: all.WorkflowCanvas })),
);

const TABS = ['editor', 'runs', 'versions', 'settings'] as const;
const fieldsOf = (answer: { text: string }) => ({ text: definitionOf(answer.text) });

type Given = {
  workflow?: Workflow;
  /** For a new workflow: its template. */
  template?: string;
  text: string;
  version?: number | undefined;
  runCount?: number | undefined;
};

/** Edits, tests and activates a workflow. Canvas, inspector and JSON are one document. */
export function WorkflowScreen({ workflow, template = '', text: first, version, runCount }: Given) {
  const { at, may, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [search, changeAddress] = useAddress();
  const tab = oneOf(search['tab'], TABS) ?? 'editor';
  const isJson = search['view'] === 'json';
  const selected = search['step'];
  const isNarrow = useIsNarrow();
  const definition = useDefinition({ workflow, template, first });
  const { draft, text, syntax, edits, isChanged } = definition;
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<'save' | 'activate'>();
  const [open, setOpen] = useState<'test' | 'start' | 'delete'>();
  const [shown, setShown] = useState<readonly Written[]>();
  const [input, setInput] = useState<TestInput>(FIRST_INPUT);
  const [test, setTest] = useState<TestResult>();
  const json = useRef<JsonHandle>(null);
  const saved = useMemo(() => flowOf(first) ?? draft.flow, [first, draft.flow]);
  useUndoKeys(definition);
  const name = nameIn(draft.text) ?? workflow?.name ?? 'New workflow';
  const mayEdit = may('developer');
  const isActive = workflow?.status === 'active';
  const next = (version ?? 0) + 1;
  /** Only the name or the description differ, which does not create a new version. */
  const isSameDefinition =
    isChanged &&
    workflow !== undefined &&
    ['trigger', 'steps'].every((part) => memberText(draft.text, part) === memberText(first, part));

  /** The step that was added last, until another one is selected. */
  const [added, setAdded] = useState<string>();
  const select = useCallback(
    (key: string | undefined) => {
      setAdded(undefined);
      changeAddress({ step: key ?? '' }, { replace: true });
    },
    [changeAddress],
  );
  const edit = useMemo((): CanvasEdit | undefined => {
    if (!mayEdit || draft.isReadOnly) return undefined;
    const { text: now, flow, change } = draft;
    return {
      insert(way, kind) {
        const { text: changed, id } = withStepOn(now, flow, way, kind);
        change(changed);
        select(id);
        setAdded(id);
        return id;
      },
      rewire: (way, to) => change(withTarget(now, flow, way, to)),
      remove(key) {
        const before = flow.ways.find(({ to }) => to === key)?.from;
        change(withoutStep(now, flow, key));
        select(selected === key ? before : selected);
      },
      duplicate(key) {
        const copy = withCopy(now, flow, key);
        if (copy === undefined) return;
        change(copy.text);
        select(copy.id);
      },
    };
  }, [mayEdit, draft, select, selected]);

  const save = async (isToActivate: boolean): Promise<void> => {
    setError(undefined);
    setAdded(undefined);
    setBusy(isToActivate ? 'activate' : 'save');
    if (workflow === undefined) {
      await act(
        async () => {
          // The text is sent unchanged, so that no number is parsed and rewritten.
          const { id } = await api.workflows.create(text, at);
          edits.drop();
          go(`/workflows/${id}`, selected === undefined ? {} : { step: selected });
          if (isToActivate) await api.workflows.activate(id, at);
          await refresh();
        },
        { told: isToActivate ? 'Workflow activated' : 'Draft saved', onFailure: setError },
      );
    } else if (isChanged) {
      await edits.saveNow({
        read: async () => fieldsOf(await api.workflows.get(workflow.id, at).withAnswer()),
        send: async () => {
          const saved = fieldsOf(await api.workflows.update(workflow.id, text, at).withAnswer());
          if (isToActivate && !isActive) await api.workflows.activate(workflow.id, at);
          return saved;
        },
        refresh,
        onFailure: setError,
        told: isSameDefinition ? 'Workflow saved' : isToActivate ? `Version ${next} activated` : 'Draft saved',
      });
    } else
      await act(
        async () => {
          await api.workflows.activate(workflow.id, at);
          await refresh();
        },
        { told: 'Workflow activated', onFailure: setError },
      );
    setBusy(undefined);
  };
  const changeStatus = (): void => {
    if (workflow === undefined) return;
    const { id } = workflow;
    void act(
      async () => {
        await (isActive ? api.workflows.pause(id, at) : api.workflows.activate(id, at));
        await refresh();
      },
      isActive
        ? { told: 'Workflow paused', undo: () => api.workflows.activate(id, at).then(refresh) }
        : { told: 'Workflow activated', onFailure: setError },
    );
  };

  const [problemAt, setProblemAt] = useState(0);
  const nextProblem = draft.problems[problemAt % Math.max(1, draft.problems.length)];
  const goToProblem = (): void => {
    if (syntax !== undefined) {
      changeAddress({ tab: '', view: 'json' }, { replace: true });
      return;
    }
    if (nextProblem === undefined) return;
    setProblemAt(problemAt + 1);
    setAdded(undefined);
    const key = stepOf(nextProblem, draft.flow);
    if (key === undefined) changeAddress({ tab: 'settings' }, { replace: true });
    else changeAddress({ tab: '', step: key }, { replace: true });
    if (isJson) json.current?.goTo(nextProblem);
  };
  useKeys({ F8: goToProblem });
  useScreenEscape(() => selected !== undefined && select(undefined));

  const names = useDefinitionNames();
  const problemsOfSteps = useMemo(() => {
    const counts = [...problemCounts(draft.problems, draft.flow)];
    return new Map(counts.filter(([key]) => key !== added));
  }, [draft.problems, draft.flow, added]);
  const states = useMemo(() => (test === undefined ? undefined : statesOf(test)), [test]);
  const chosen = useMemo(() => test && chosenWays(test.trial.steps), [test]);
  const errors = useMemo(
    () => test && new Map(test.trial.steps.map(({ id, error: own }) => [id, own?.code ?? ''])),
    [test],
  );
  const inspector = selected !== undefined &&
    (selected === TRIGGER || draft.flow.steps.some(({ key }) => key === selected)) && (
      <Inspector
        draft={draft}
        selected={selected}
        isNew={selected === added}
        workflowId={workflow?.id}
        test={test}
        onSelect={select}
        onRemove={(key) => edit?.remove(key)}
        onDuplicate={(key) => edit?.duplicate(key)}
      />
    );
  const activateWhy =
    syntax !== undefined
      ? `Fix line ${syntax.line} first`
      : draft.problems.length > 0
        ? `Fix ${draft.problems.length === 1 ? '1 problem' : `${draft.problems.length} problems`} first`
        : isActive && !isChanged
          ? 'No changes to activate'
          : undefined;
  const isNewVersion = workflow === undefined || isActive || (isChanged && !isSameDefinition);
  const primary = isSameDefinition && isActive ? 'Save changes' : `Activate v${isNewVersion ? next : (version ?? 1)}`;
  return (
    <Page
      title={name}
      crumbs={[['Workflows', '/workflows']]}
      crumb={
        <WorkflowTitle
          name={name}
          isNew={workflow === undefined}
          onRename={
            mayEdit && !draft.isReadOnly
              ? (next) => draft.change(withValue(draft.text, ['name'], JSON.stringify(next)), 'name')
              : undefined
          }
        />
      }
      layout="full"
      isStill={tab === 'editor' || tab === 'settings'}
      count={
        <span className="flex shrink-0 items-center gap-2 pl-1 max-md:hidden">
          {workflow !== undefined && <WorkflowStatus status={workflow.status} version={version} />}
          {isChanged && workflow !== undefined && (
            <span className="inline-flex h-5.5 items-center gap-1.25 rounded-full bg-pending-soft pr-2 pl-1.5 text-12 font-medium whitespace-nowrap text-text-2">
              <Pencil size={13} strokeWidth={2} aria-hidden="true" />
              Unsaved changes
            </span>
          )}
        </span>
      }
      actions={
        <>
          {mayEdit && (
            <span className="flex gap-0.5 max-md:hidden">
              <IconButton
                icon={Undo2}
                label="Undo"
                keys="⌘Z"
                size="small"
                isDisabled={definition.undo === undefined}
                onClick={() => definition.undo?.()}
              />
              <IconButton
                icon={Redo2}
                label="Redo"
                keys="⇧⌘Z"
                size="small"
                isDisabled={definition.redo === undefined}
                onClick={() => definition.redo?.()}
              />
            </span>
          )}
          {mayEdit && (
            <Button
              size="small"
              icon={FlaskConical}
              isDisabled={workflow === undefined}
              why="Save the draft first"
              label="Test run"
              onClick={() => {
                setInput(inputFor(input, saved));
                setOpen('test');
              }}
            >
              <span className="max-md:hidden">Test run</span>
            </Button>
          )}
          {mayEdit && workflow !== undefined && draft.flow.trigger.kind === 'manual' && (
            <Button size="small" icon={Play} className="max-md:hidden" onClick={() => setOpen('start')}>
              Start run…
            </Button>
          )}
          {mayEdit && !isActive && (
            <Button
              size="small"
              className="max-md:hidden"
              isBusy={busy === 'save'}
              isDisabled={syntax !== undefined || (workflow !== undefined && !isChanged)}
              why={syntax === undefined ? 'No changes to save' : `Fix line ${syntax.line} first`}
              onClick={() => void save(false)}
            >
              Save draft
            </Button>
          )}
          {mayEdit && (
            <Button
              size="small"
              look="primary"
              isBusy={busy === 'activate'}
              isDisabled={activateWhy !== undefined}
              why={activateWhy}
              onClick={() => void save(!(isSameDefinition && isActive))}
            >
              {primary}
            </Button>
          )}
          {mayEdit && workflow !== undefined && (
            <MoreMenu
              size="small"
              groups={[
                {
                  items: [
                    { label: 'Start run…', onSelect: () => setOpen('start') },
                    workflow.status !== 'draft' && {
                      label: isActive ? 'Pause workflow' : 'Activate workflow',
                      onSelect: changeStatus,
                    },
                    {
                      label: 'Equivalent request',
                      isDisabled: syntax !== undefined,
                      onSelect: () => void requestsOf(() => api.workflows.update(workflow.id, text, at)).then(setShown),
                    },
                    isChanged && { label: 'Discard changes', onSelect: edits.drop },
                  ],
                },
                { items: [{ label: 'Delete workflow…', isDanger: true, onSelect: () => setOpen('delete') }] },
              ]}
            />
          )}
        </>
      }
    >
      <Tabs
        label="Workflow"
        layout="full"
        value={tab}
        onChange={(each) => changeAddress({ tab: each === 'editor' ? '' : each })}
        tabs={[
          { value: 'editor', label: 'Editor' },
          ...(workflow === undefined
            ? []
            : [
                {
                  value: 'runs',
                  label: 'Runs',
                  ...(runCount !== undefined && runCount > 0 && { count: runCount.toLocaleString('en-US') }),
                },
                { value: 'versions', label: 'Versions' },
              ]),
          { value: 'settings', label: 'Settings' },
        ]}
        end={
          tab === 'editor' && (
            <Segmented
              label="View"
              value={isJson ? 'json' : 'canvas'}
              onChange={(view) => changeAddress({ view: view === 'json' ? 'json' : '' }, { replace: true })}
              options={[
                { value: 'canvas', label: 'Canvas', icon: WorkflowIcon },
                { value: 'json', label: 'JSON', icon: Braces },
              ]}
            />
          )
        }
      >
        {error !== undefined && (
          <div className="shrink-0 border-b border-line px-6 py-2">
            <FailureNote error={error} />
          </div>
        )}
        <Restored edits={edits} />
        {tab === 'editor' && (
          <>
            <div className="flex min-h-0 grow">
              <div className="relative flex min-h-0 min-w-0 grow flex-col">
                {test !== undefined && !isJson && (
                  <TestBar test={test} flow={draft.flow} isActive={isActive} onClose={() => setTest(undefined)} />
                )}
                {isJson ? (
                  <JsonView
                    ref={json}
                    definition={definition}
                    isReadOnly={!mayEdit}
                    onChange={(changed) => draft.change(changed, 'json')}
                  />
                ) : (
                  <>
                    {syntax !== undefined && (
                      <div className="shrink-0 border-b border-line px-6 py-2">
                        <Note
                          kind="error"
                          actions={
                            <Button size="small" onClick={goToProblem}>
                              Open JSON
                            </Button>
                          }
                        >
                          Fix line {syntax.line} to continue in the canvas
                        </Note>
                      </div>
                    )}
                    <Suspense fallback={<Skeleton className="p-6" />}>
                      <WorkflowCanvas
                        text={draft.text}
                        names={names}
                        states={states}
                        errors={errors}
                        chosen={chosen}
                        selected={selected}
                        onSelect={select}
                        problems={problemsOfSteps}
                        edit={isNarrow ? undefined : edit}
                      />
                    </Suspense>
                  </>
                )}
              </div>
              {inspector !== false && !isNarrow && (
                <aside className="w-100 max-w-[45%] shrink-0 border-l border-line bg-surface">{inspector}</aside>
              )}
            </div>
            {inspector !== false && isNarrow && (
              <div className="h-[52%] min-h-0 shrink-0 border-t border-line-strong">{inspector}</div>
            )}
            {mayEdit && <ProblemsStrip definition={definition} next={nextProblem} onGo={goToProblem} />}
          </>
        )}
        {tab === 'runs' && workflow !== undefined && (
          <RunsTab workflow={workflow} onStart={mayEdit ? () => setOpen('start') : undefined} />
        )}
        {tab === 'versions' && workflow !== undefined && <VersionsTab workflow={workflow} isChanged={isChanged} />}
        {tab === 'settings' && (
          <WorkflowSettingsTab
            workflow={workflow}
            draft={draft}
            onStatus={changeStatus}
            onDelete={() => setOpen('delete')}
          />
        )}
      </Tabs>
      {open === 'test' && workflow !== undefined && (
        <TestRun
          id={workflow.id}
          flow={saved}
          version={version}
          isChanged={isChanged}
          input={input}
          onInput={setInput}
          onClose={() => setOpen(undefined)}
          onDone={(result) => {
            setOpen(undefined);
            setTest(result);
            changeAddress(
              { tab: '', view: '', step: result.trial.error?.stepId ?? result.trial.steps[0]?.id ?? TRIGGER },
              { replace: true },
            );
          }}
        />
      )}
      {open === 'start' && workflow !== undefined && (
        <StartRun workflow={workflow} onClose={() => setOpen(undefined)} />
      )}
      {open === 'delete' && workflow !== undefined && (
        <DeleteWorkflow workflow={workflow} isNamed={environment === 'live'} onClose={() => setOpen(undefined)} />
      )}
      {shown !== undefined && <EquivalentRequest of={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}
