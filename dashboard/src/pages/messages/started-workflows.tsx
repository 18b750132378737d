import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { startedBy } from '../../lib/trigger-match.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';
import { Workflow as WorkflowIcon } from 'lucide-react';

/** How many active workflows are checked, because their triggers come with all of their steps. */
const LOOKED_AT = 100;

/**
 * The workflows that the message being written would start, according to their present triggers. Renders nothing if
 * there are none.
 */
export function StartedWorkflows({ channelId, eventType }: { channelId: string; eventType: string }) {
  const { at, path } = useHere();
  const active = useQuery({
    queryKey: [path, 'active-workflows'],
    queryFn: () => api.workflows.list({ status: 'active', limit: LOOKED_AT }, at).page(),
    staleTime: 10_000,
    meta: { failure: 'own' },
  });
  if (active.data === undefined) return <FailureNote error={active.error} />;
  const { data, pagination } = active.data;
  const started = startedBy(data, { channelId, eventType });
  if (started.length === 0) return null;
  return (
    <Section title="Workflows">
      <div className="flex flex-col gap-2">
        {pagination.hasMore && <p className="text-text-2">Of the newest {LOOKED_AT} active workflows</p>}
        <ul aria-label="Workflows" className="overflow-hidden rounded-8 border border-line-strong">
          {started.map(({ workflow: { id, name }, hasFilter }) => (
            <li
              key={id}
              className="flex min-h-row flex-wrap items-center gap-x-2 border-line px-3 py-1.5 not-last:border-b"
            >
              <Icon of={WorkflowIcon} isSmall className="text-text-3" />
              <HereLink to={`/workflows/${id}`} className="min-w-0 truncate hover:underline">
                {name}
              </HereLink>
              <span className="ml-auto text-right text-12 text-text-2">
                {hasFilter ? 'Starts if its filter matches' : 'Starts'}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
