import { flowOf } from '../../lib/flow-graph.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { ROLE_LOOKS, stepWords, triggerWords } from '../../lib/step-words.ts';
import { TEMPLATE_NAMES, TEMPLATES } from '../../lib/workflow-templates.ts';
import { HereLink } from '../../parts/link.tsx';
import { useLeftEdits } from '../../parts/use-edits.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/callout.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { nameIn, newWorkflowKey } from './editor/use-definition.ts';
import { WorkflowScreen } from './editor/workflow-screen.tsx';

type Template = (typeof TEMPLATE_NAMES)[number];

const CARDS: readonly { name: Template; title: string; text: string }[] = [
  { name: 'event', title: 'React to a message', text: 'Starts with each large order and logs it' },
  { name: 'approval', title: 'Ask for an approval', text: 'A person decides on a refund before it is paid' },
  { name: 'schedule', title: 'Run on a schedule', text: 'Requests a report every weekday at 9:00' },
  { name: 'wait', title: 'Wait for a message', text: 'Reminds when an invoice is not paid within 14 days' },
  { name: 'loop', title: 'Loop over a list', text: 'Reserves each line of an order, five at a time' },
  { name: 'empty', title: 'Empty workflow', text: 'Choose the trigger and add each step yourself' },
];

/** First the choice of a template, which the address then names, and then the editor. */
export function NewWorkflowPage() {
  const { may } = useHere();
  const [search] = useAddress();
  const template = oneOf(search['template'], TEMPLATE_NAMES);
  if (!may('developer'))
    return (
      <Page title="Create workflow" crumbs={[['Workflows', '/workflows']]}>
        <Empty title="You don't have access">
          You need the Developer role to create workflows. Ask an admin for access.
        </Empty>
      </Page>
    );
  if (template !== undefined) return <WorkflowScreen key={template} template={template} text={TEMPLATES[template]} />;
  return (
    <Page
      title="Create workflow"
      crumbs={[['Workflows', '/workflows']]}
      crumb={<h1 className="truncate text-15 font-bold tracking-tight">Create workflow</h1>}
      isStill
    >
      <Unsaved />
      <h2 className="mb-3 text-13">Choose a template</h2>
      <ul className="grid max-w-240 grid-cols-[repeat(auto-fill,minmax(270px,1fr))] gap-3">
        {CARDS.map(({ name, title, text }) => (
          <li key={name}>
            <HereLink
              to="/workflows/new"
              search={{ template: name }}
              className="flex h-full flex-col rounded-8 border border-line-strong bg-raised p-4 shadow-1 hover:border-line-input hover:bg-hover"
            >
              <Steps of={TEMPLATES[name]} />
              <span className="mt-3 font-medium">{title}</span>
              <span className="text-text-2">{text}</span>
            </HereLink>
          </li>
        ))}
      </ul>
    </Page>
  );
}

/** New workflows left unsaved in this tab. */
function Unsaved() {
  const { path } = useHere();
  const left = useLeftEdits<{ text: string }>();
  return TEMPLATE_NAMES.map((template) => {
    const key = newWorkflowKey(path, template);
    const text = left.of(key)?.text;
    if (text === undefined) return null;
    const name = flowOf(text) === undefined ? undefined : nameIn(text);
    return (
      <div key={template} className="mb-4 max-w-240">
        <Note
          actions={
            <>
              <Button size="small" onClick={() => left.drop(key)}>
                Discard
              </Button>
              <Button
                size="small"
                look="primary"
                render={
                  <HereLink to="/workflows/new" search={{ template }} aria-label={`Continue ${name ?? UNNAMED}`} />
                }
              >
                Continue
              </Button>
            </>
          }
        >
          You have an unsaved workflow: <strong className="font-medium">{name ?? UNNAMED}</strong>
        </Note>
      </div>
    );
  });
}
const UNNAMED = 'New workflow';

/** The kinds of its steps, in a row. */
function Steps({ of: text }: { of: string }) {
  const flow = flowOf(text);
  const words =
    flow === undefined ? [] : [triggerWords(flow.trigger.kind), ...flow.steps.map(({ kind }) => stepWords(kind))];
  return (
    <span aria-hidden="true" className="flex items-center">
      {words.map(({ icon, role, name }, at) => (
        <span key={`${name} ${at}`} className="flex items-center">
          {at > 0 && <span className="w-4 border-t-[1.5px] border-edge" />}
          <span className={`grid size-7 place-items-center rounded-6 ${ROLE_LOOKS[role]}`}>
            <Icon of={icon} />
          </span>
        </span>
      ))}
    </span>
  );
}
