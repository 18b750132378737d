import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { api, type TestRun } from '../../../api/client.ts';
import type { FlowStep } from '../../../lib/flow-graph.ts';
import { itemTexts, memberText } from '../../../lib/raw-json.ts';
import { inputOf } from '../../../lib/step-input.ts';
import { RUN_WORDS } from '../../../lib/run-words.ts';
import { useHere } from '../../../lib/session.ts';
import { HereLink } from '../../../parts/link.tsx';
import { Ago } from '../../../parts/moment.tsx';
import { NotRead } from '../../../parts/failure-note.tsx';
import { Note } from '../../../ui/callout.tsx';
import { CodeView } from '../../../ui/code/code-view.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Status, type Tone } from '../../../ui/status.tsx';

/** The result of a test run, and its request. `isReal`: it ran with a published message. */
export type TestResult = { trial: TestRun; text: string; event: string; isReal: boolean };

/** Appearance of the status of a run or of a step. */
export function runTone(status: string): readonly [Tone, string] {
  const known = Object.entries(RUN_WORDS).find(([each]) => each === status)?.[1];
  return known === undefined ? ['pending', status] : [known.tone, known.word];
}

/** Input and output of a step, from the displayed test run, otherwise from the newest run. */
export function LastResult({
  step,
  workflowId,
  test,
}: {
  /** If absent: the trigger. */
  step: FlowStep | undefined;
  workflowId: string | undefined;
  test: TestResult | undefined;
}) {
  const { at, path } = useHere();
  const newest = useQuery({
    queryKey: [path, 'workflow', workflowId, 'newest-run'],
    queryFn: async () => {
      const [run] = (await api.runs.list({ workflowId: workflowId ?? '', outputs: 'false', limit: 1 }, at).page()).data;
      if (run === undefined) return null;
      const { text } = await api.runs.get(run.id, at).withAnswer();
      return { run, text };
    },
    enabled: workflowId !== undefined && test === undefined,
  });
  if (test !== undefined)
    return (
      <div className="flex flex-col gap-3">
        <p className="flex items-center gap-1.5 text-12 text-text-2">
          <Icon of={FlaskConical} isSmall className="text-text-3" />
          Test run
        </p>
        {step === undefined ? (
          <Part label="Message" json={test.event} />
        ) : (
          <StepResult text={test.text} id={step.id} none="The test run didn't reach this step" />
        )}
      </div>
    );
  if (workflowId === undefined || newest.data === null)
    return <p className="text-text-2">No runs yet. Start a test run to see the input and output of each step.</p>;
  if (newest.data === undefined) return <NotRead of={newest} />;
  const { run, text } = newest.data;
  const [tone, word] = runTone(run.status);
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-x-3 text-12 text-text-2">
        <Status tone={tone}>{word}</Status>
        <HereLink to={`/runs/${run.id}`} className="text-accent hover:underline">
          Newest run, <Ago at={run.createdAt} />
        </HereLink>
      </p>
      {step === undefined ? (
        <Part
          label="Payload"
          json={memberText(text, 'payload') ?? memberText(memberText(text, 'event') ?? '{}', 'payload')}
        />
      ) : (
        <StepResult text={text} id={step.id} none="The newest run didn't reach this step" />
      )}
    </div>
  );
}

/**
 * Returns the newest result of a step, because a loop executes it once per item. `text`: the response with the steps.
 */
function StepResult({ text, id, none }: { text: string; id: string; none: string }) {
  const found = itemTexts(memberText(text, 'steps') ?? '[]').filter(
    (each) => memberText(each, 'id') === JSON.stringify(id) && memberText(each, 'type') !== '"item"',
  );
  const last = found.at(-1);
  if (last === undefined) return <p className="text-text-2">{none}</p>;
  const status = plain(memberText(last, 'status'));
  const [tone, word] = runTone(status);
  const error = memberText(last, 'error');
  const mocked = memberText(last, 'mocked');
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-12">
        <Status tone={tone}>{word}</Status>
        {found.length > 1 && <span className="text-text-3">Last of {found.length} items</span>}
      </p>
      {mocked !== undefined && (
        <Note icon={FlaskConical}>
          {mocked === '"given"'
            ? 'The response is one that you wrote.'
            : 'The response is simulated. Nothing was sent.'}
        </Note>
      )}
      {error !== undefined && (
        <Note kind="error">
          <code>{plain(memberText(error, 'code'))}</code> {plain(memberText(error, 'message'))}
        </Note>
      )}
      <Part label="Input" json={inputOf(last)} />
      <Part label="Output" json={memberText(last, 'output')} />
    </>
  );
}

function plain(raw: string | undefined): string {
  if (raw === undefined) return '';
  const value: unknown = JSON.parse(raw);
  return typeof value === 'string' ? value : raw;
}

function Part({ label, json }: { label: string; json: string | undefined }) {
  if (json === undefined || json === 'null') return null;
  return <CodeView label={label} text={json} />;
}
