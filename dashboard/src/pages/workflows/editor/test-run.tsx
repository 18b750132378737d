import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, isApiError } from '../../../api/client.ts';
import { requestsOf, type Written } from '../../../api/requests.ts';
import type { FlowGraph } from '../../../lib/flow-graph.ts';
import { isJsonText } from '../../../lib/json-text.ts';
import { memberText, prettyText } from '../../../lib/raw-json.ts';
import { useHere } from '../../../lib/session.ts';
import { decisionIn, type TestDecision, withApprovals, withDecision } from '../../../lib/test-decisions.ts';
import { useActs } from '../../../parts/acts.tsx';
import { EquivalentRequest } from '../../../parts/equivalent-request.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { Ago } from '../../../parts/moment.tsx';
import { problemOf } from '../../../parts/problem-of.ts';
import { Button } from '../../../ui/button.tsx';
import { Note } from '../../../ui/callout.tsx';
import { CodeEditor } from '../../../ui/code/code-editor.tsx';
import { CancelButton, Drawer } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Fold } from '../../../ui/layout.tsx';
import { SelectField } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Segmented } from '../../../ui/tabs.tsx';
import type { TestResult } from './last-result.tsx';
import { triggerChannels, triggerTypes } from '../../../lib/trigger-match.ts';
import { newestOfTrigger } from './trigger-messages.ts';

/** How many of the newest messages can be selected. */
const NEWEST = 20;

/** The message of a test run, as it was edited. `from`: the message that it was copied from. */
export type TestInput = {
  eventType: string;
  payload: string;
  mocks: string;
  /** Approvals that have a decision, or had one. */
  asked: readonly string[];
  from?: { id: string; channelId: string; metadata: string } | undefined;
};
export const FIRST_INPUT: TestInput = {
  eventType: 'order.created',
  payload: '{\n  "total": 250\n}',
  mocks: '',
  asked: [],
};
/** The initial input of a test run: an event type of the trigger, and all approvals approved. */
export const inputFor = (input: TestInput, flow: FlowGraph): TestInput => ({
  ...input,
  ...(input === FIRST_INPUT && { eventType: triggerTypes(flow)[0]?.replace(/\*$/, 'created') ?? input.eventType }),
  ...withApprovals(input, approvalsIn(flow)),
});

const approvalsIn = (flow: FlowGraph): string[] =>
  flow.steps.flatMap(({ id, kind }) => (kind === 'approval' && id !== '' ? [id] : []));

type Given = {
  id: string;
  /** The saved steps, which are the ones that run. */
  flow: FlowGraph;
  version: number | undefined;
  /** There are unsaved edits: the test run uses the saved version. */
  isChanged: boolean;
  /** Kept by the page, so that the next test run starts with it. */
  input: TestInput;
  onInput: (input: TestInput) => void;
  onDone: (result: TestResult) => void;
  onClose: () => void;
};

/** Selects or edits a message, and runs the steps of the saved definition with it. Nothing is sent. */
export function TestRun({ id, flow, version, isChanged, input, onInput, onDone, onClose }: Given) {
  const { at } = useHere();
  const { act } = useActs();
  const [source, setSource] = useState(
    input.from === undefined && flow.trigger.kind !== 'event' ? 'written' : 'recent',
  );
  const [error, setError] = useState<unknown>();
  const [shown, setShown] = useState<readonly Written[]>();
  const [isRunning, setIsRunning] = useState(false);
  const badPayload = isJsonText(input.payload) ? undefined : 'Fix the JSON first';
  const badMocks =
    input.mocks.trim() === '' || isJsonText(input.mocks) ? undefined : 'Fix the simulated responses first';
  const approvals = approvalsIn(flow);
  const mocksError = mocksProblem(error);
  const [isMocked] = useState(
    approvals.reduce((text, step) => withDecision(text, step, 'timeout'), input.mocks) !== '',
  );
  const bodyOf = (): string => {
    const of =
      input.from === undefined ? '' : `,"channelId":"${input.from.channelId}","metadata":${input.from.metadata}`;
    const mocks = input.mocks.trim() === '' ? '' : `,"mocks":${input.mocks}`;
    return `{"event":{"eventType":${JSON.stringify(input.eventType)},"payload":${input.payload}${of}}${mocks}}`;
  };
  const run = async (): Promise<void> => {
    setError(undefined);
    setIsRunning(true);
    await act(
      async () => {
        const { data, text } = await api.workflows.test(id, bodyOf(), at).withAnswer();
        onDone({ trial: data, text, event: input.payload, isReal: input.from !== undefined });
      },
      { onFailure: setError },
    );
    setIsRunning(false);
  };
  return (
    <Drawer
      title="Test run"
      onClose={onClose}
      onSubmit={() => void run()}
      actions={
        <>
          <Button
            look="quiet"
            className="mr-auto"
            isDisabled={badPayload !== undefined}
            onClick={() => void requestsOf(() => api.workflows.test(id, bodyOf(), at)).then(setShown)}
          >
            Equivalent request
          </Button>
          <CancelButton />
          <Button
            look="primary"
            type="submit"
            isBusy={isRunning}
            isDisabled={badPayload !== undefined || badMocks !== undefined}
            why={badPayload ?? badMocks}
          >
            Run test
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-text-2">Runs the steps without side effects. Responses are simulated.</p>
        {isChanged && (
          <Note kind="warning">
            Runs the saved {version === undefined ? 'definition' : `version ${version}`}, without your unsaved changes.
          </Note>
        )}
        <Segmented
          label="Message of the test run"
          className="self-start"
          value={source}
          onChange={(next) => {
            setSource(next);
            if (next === 'written') onInput({ ...input, from: undefined });
          }}
          options={[
            { value: 'recent', label: 'Recent message' },
            { value: 'written', label: 'Write JSON' },
          ]}
        />
        {source === 'recent' ? (
          <Recent flow={flow} input={input} onInput={onInput} />
        ) : (
          <TextField
            label="Event type"
            isMono
            value={input.eventType}
            onChange={(eventType) => onInput({ ...input, eventType })}
          />
        )}
        <CodeEditor
          label="Payload"
          language="json"
          minLines={6}
          maxLines={18}
          value={input.payload}
          onChange={(payload) => onInput({ ...input, payload })}
        />
        {approvals.map((step) => {
          const decision = decisionIn(input.mocks, step);
          return (
            <SelectField
              key={step}
              label={`Decision of ${step}`}
              isDisabled={badMocks !== undefined}
              value={decision}
              options={[...DECISIONS, ...(decision === 'custom' ? [{ value: 'custom', label: 'As simulated' }] : [])]}
              onChange={(next) => onInput({ ...input, mocks: withDecision(input.mocks, step, next as TestDecision) })}
            />
          );
        })}
        <Fold title="Simulated responses" isOpen={isMocked || mocksError !== undefined} key={String(mocksError)}>
          <CodeEditor
            label="Results by step ID"
            language="json"
            minLines={4}
            hint="Steps without one get status 200 and an empty body. A wait ends with its timeout."
            {...(mocksError !== undefined && { error: mocksError })}
            placeholder={'{ "create_invoice": { "output": { "status": 201 } } }'}
            value={input.mocks}
            onChange={(mocks) => onInput({ ...input, mocks })}
          />
        </Fold>
        {mocksError === undefined && <FailureNote error={error} />}
      </div>
      {shown !== undefined && <EquivalentRequest of={shown} onClose={() => setShown(undefined)} />}
    </Drawer>
  );
}

const DECISIONS: readonly { value: TestDecision; label: string }[] = [
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'timeout', label: 'Times out' },
];

/** Why the service rejects the simulated responses, which it calls `mocks`. */
function mocksProblem(error: unknown): string | undefined {
  if (problemOf(error, 'mocks') === undefined || !isApiError(error)) return undefined;
  const field = error.details?.field.replace(/^mocks\.?/, '') ?? '';
  return `${field} ${error.details?.reason ?? ''}`.trim();
}

/** The newest messages of the channels and event types of the trigger. */
function Recent({ flow, input, onInput }: { flow: FlowGraph; input: TestInput; onInput: (input: TestInput) => void }) {
  const { at, path } = useHere();
  const [error, setError] = useState<unknown>();
  const found = useQuery({
    queryKey: [path, 'trigger-messages', triggerChannels(flow), triggerTypes(flow)],
    queryFn: () => newestOfTrigger(flow, NEWEST, at),
  });
  const choose = async (id: string): Promise<void> => {
    setError(undefined);
    try {
      const { data, text } = await api.messages.get(id, at).withAnswer();
      onInput({
        ...input,
        eventType: data.eventType,
        payload: prettyText(memberText(text, 'payload') ?? '{}'),
        from: { id, channelId: data.channelId, metadata: memberText(text, 'metadata') ?? '{}' },
      });
    } catch (failure) {
      setError(failure);
    }
  };
  const latest = useRef(choose);
  latest.current = choose;
  // The newest one is usually meant.
  const first = input.payload === FIRST_INPUT.payload && input.from === undefined ? found.data?.[0]?.id : undefined;
  useEffect(() => {
    if (first !== undefined) void latest.current(first);
  }, [first]);
  if (found.data === undefined)
    return found.isError ? <FailureNote error={found.error} onRetry={() => void found.refetch()} /> : <Skeleton />;
  if (found.data.length === 0)
    return <p className="text-text-2">No message that triggers this workflow yet. Write JSON instead.</p>;
  return (
    <>
      <ul aria-label="Recent messages" className="max-h-56 overflow-y-auto rounded-8 border border-line-strong">
        {found.data.map(({ id, eventType, publishedAt }) => (
          <li key={id} className="border-line not-last:border-b">
            <button
              type="button"
              aria-pressed={input.from?.id === id}
              onClick={() => void choose(id)}
              className="flex h-row w-full items-center gap-3 px-3 text-left outline-offset-[-2px] hover:bg-hover aria-pressed:bg-selected"
            >
              <span className="mono grow truncate">{eventType}</span>
              <span className="mono text-text-3">…{id.slice(-6)}</span>
              <span className="w-24 text-right text-12 text-text-2">
                <Ago at={publishedAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <FailureNote error={error} />
    </>
  );
}
