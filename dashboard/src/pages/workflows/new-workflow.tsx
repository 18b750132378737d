import { CalendarClock, FileText, type LucideIcon, Stamp, Zap } from 'lucide-react';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { TEMPLATE_NAMES, TEMPLATES } from '../../lib/workflow-templates.ts';
import { HereLink } from '../../parts/link.tsx';
import { Page } from '../../shell/page.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { WorkflowScreen } from './editor/workflow-screen.tsx';

type Template = (typeof TEMPLATE_NAMES)[number];

const CARDS: Readonly<Record<Template, { icon: LucideIcon; look: string; title: string; text: string }>> = {
  event: {
    icon: Zap,
    look: 'bg-step-trigger-soft text-step-trigger',
    title: 'React to a message',
    text: 'Starts with each large order and logs it',
  },
  approval: {
    icon: Stamp,
    look: 'bg-delivered-soft text-delivered',
    title: 'Ask for an approval',
    text: 'A person decides on a refund before it is paid',
  },
  schedule: {
    icon: CalendarClock,
    look: 'bg-accent-soft text-accent',
    title: 'Run on a schedule',
    text: 'Requests a report every weekday at 9:00',
  },
  empty: {
    icon: FileText,
    look: 'bg-pending-soft text-text-2',
    title: 'Empty workflow',
    text: 'Choose the trigger and add each step yourself',
  },
};

/** First a template, which the address then names, and then the editor. */
export function NewWorkflowPage() {
  const { may } = useHere();
  const [search] = useAddress();
  const template = oneOf(search['template'], TEMPLATE_NAMES);
  if (!may('developer'))
    return (
      <Page title="Create workflow" crumbs={[['Workflows', '/workflows']]}>
        <Empty title="You don't have access">You need the Developer role to create workflows. Ask an admin for access.</Empty>
      </Page>
    );
  if (template !== undefined) return <WorkflowScreen key={template} text={TEMPLATES[template]} />;
  return (
    <Page
      title="Create workflow"
      crumbs={[['Workflows', '/workflows']]}
      crumb={<h1 className="truncate text-15 font-bold tracking-tight">Create workflow</h1>}
      isStill
    >
      <h2 className="mb-3 text-13">Choose a template</h2>
      <ul className="grid max-w-220 grid-cols-[repeat(auto-fill,minmax(260px,1fr))] gap-3">
        {(['event', 'approval', 'schedule', 'empty'] as const).map((name) => {
          const { icon, look, title, text } = CARDS[name];
          return (
            <li key={name}>
              <HereLink
                to="/workflows/new"
                search={{ template: name }}
                className="flex h-full items-start gap-3 rounded-8 border border-line-strong bg-raised p-4 shadow-1 hover:border-line-input hover:bg-hover"
              >
                <span className={`grid size-8 shrink-0 place-items-center rounded-6 ${look}`}>
                  <Icon of={icon} />
                </span>
                <span>
                  <span className="block font-medium">{title}</span>
                  <span className="block text-text-2">{text}</span>
                </span>
              </HereLink>
            </li>
          );
        })}
      </ul>
    </Page>
  );
}
