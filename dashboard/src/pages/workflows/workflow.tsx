import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { usePathId } from '../../lib/path-id.ts';
import { useHere } from '../../lib/session.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { Page } from '../../shell/page.tsx';
import { definitionOf } from './editor/use-definition.ts';
import { WorkflowScreen } from './editor/workflow-screen.tsx';

/** One workflow: its editor with a test run, its runs, its versions and its settings. */
export function WorkflowPage() {
  const id = usePathId();
  const { at, path } = useHere();
  const found = useQuery({ queryKey: [path, 'workflow', id], queryFn: () => api.workflows.get(id, at).withAnswer() });
  const versions = useQuery({
    queryKey: [path, 'workflow', id, 'newest-version'],
    queryFn: async () => (await api.workflows.listVersions(id, {}, at)).versions[0]?.version,
  });
  if (found.data === undefined)
    return (
      <Page title="Workflow" crumbs={[['Workflows', '/workflows']]}>
        <NotRead of={found} />
      </Page>
    );
  const { data: workflow, text } = found.data;
  return <WorkflowScreen key={id} workflow={workflow} text={definitionOf(text)} version={versions.data} />;
}
