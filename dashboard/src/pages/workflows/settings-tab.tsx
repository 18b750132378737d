import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Workflow } from '../../api/client.ts';
import { parsed } from '../../lib/definition-edit.ts';
import { problemsAt } from '../../lib/definition-problems.ts';
import { valueText, withValue } from '../../lib/json-edit.ts';
import { useHere } from '../../lib/session.ts';
import { Exact, In, Ago } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { Note } from '../../ui/callout.tsx';
import type { Draft } from './editor/use-definition.ts';

/** Name and description, which are saved with the definition, and the actions on the whole workflow. */
export function WorkflowSettingsTab({
  workflow,
  draft,
  onStatus,
  onDelete,
}: {
  workflow: Workflow | undefined;
  draft: Draft;
  onStatus: () => void;
  onDelete: () => void;
}) {
  const { may } = useHere();
  const text = (name: string): string => {
    const value = parsed(valueText(draft.text, draft.tree, [name]));
    return typeof value === 'string' ? value : '';
  };
  const error = (name: string): { error?: string } => {
    const [first] = problemsAt(draft.problems, name);
    return first === undefined ? {} : { error: first.reason };
  };
  return (
    <div className="min-h-0 grow overflow-y-auto p-6 max-md:p-4">
      <div className="flex max-w-140 flex-col gap-7">
        <div className="flex flex-col gap-4">
          <TextField
            label="Name"
            value={text('name')}
            isDisabled={draft.isReadOnly}
            {...error('name')}
            onChange={(name) => draft.change(withValue(draft.text, ['name'], JSON.stringify(name)), 'name')}
          />
          <TextArea
            label="Description"
            value={text('description')}
            isDisabled={draft.isReadOnly}
            placeholder="No description"
            {...error('description')}
            onChange={(next) =>
              draft.change(
                withValue(draft.text, ['description'], next === '' ? undefined : JSON.stringify(next)),
                'description',
              )
            }
          />
        </div>
        {workflow !== undefined && (
          <>
            {workflow.trigger?.['type'] === 'schedule' && <ScheduleFacts workflow={workflow} />}
            <Section title="Details">
              <Facts
                facts={[
                  ['ID', <CopyId key="id" id={workflow.id} isNamed />],
                  ['Created', <Exact key="created" at={workflow.createdAt} />],
                  ['Updated', <Exact key="updated" at={workflow.updatedAt} />],
                ]}
              />
            </Section>
            {may('developer') && (
              <Section title="Status">
                <div className="flex flex-col gap-px overflow-hidden rounded-8 border border-line-strong">
                  {workflow.status !== 'draft' && (
                    <Row
                      text={
                        workflow.status === 'active'
                          ? 'Pausing starts no new runs. Runs in progress go on.'
                          : 'Activating starts new runs as the trigger says.'
                      }
                    >
                      <Button onClick={onStatus}>
                        {workflow.status === 'active' ? 'Pause workflow' : 'Activate workflow'}
                      </Button>
                    </Row>
                  )}
                  <Row text="Deleting cancels runs that haven't started. Other runs go on and stay readable.">
                    <Button look="danger" onClick={onDelete}>
                      Delete workflow…
                    </Button>
                  </Row>
                </div>
              </Section>
            )}
          </>
        )}
      </div>
    </div>
  );
}

const Row = ({ text, children }: { text: string; children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line px-3.5 py-2.5 not-first:border-t">
    <p className="min-w-40 flex-1 text-text-2">{text}</p>
    {children}
  </div>
);

/** When the next run starts, or why none will. */
function ScheduleFacts({ workflow: { id, status } }: { workflow: Workflow }) {
  const { at, path } = useHere();
  const { data: times } = useQuery({
    queryKey: [path, 'workflow', id, 'schedule'],
    queryFn: () => api.workflows.getSchedule(id, at),
  });
  if (times === undefined) return null;
  const { nextRunAt, lastRunAt, problem } = times;
  return (
    <Section title="Schedule">
      {problem !== undefined && (
        <Note kind="error">
          The schedule couldn't be set up: <code>{problem}</code>
        </Note>
      )}
      <Facts
        facts={[
          [
            'Next run',
            nextRunAt === undefined ? (
              status === 'active' ? (
                'None: the schedule has ended'
              ) : (
                '—'
              )
            ) : (
              <In at={nextRunAt} />
            ),
          ],
          ['Last run', lastRunAt === undefined ? '—' : <Ago at={lastRunAt} />],
        ]}
      />
    </Section>
  );
}
