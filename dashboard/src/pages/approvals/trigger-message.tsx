import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { memberText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
import { CodeView } from '../../ui/code/code-view.tsx';
import { Fold } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** The payload that started the run of a decision, loaded on demand. */
export function TriggerMessage({ runId }: { runId: string }) {
  return (
    <Fold title="Message payload">
      <Payload runId={runId} />
    </Fold>
  );
}

function Payload({ runId }: { runId: string }) {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'payload-of-run', runId],
    queryFn: async () => {
      const { trigger } = await api.runs.get(runId, at);
      if (trigger.messageId === undefined) return null;
      const { text } = await api.messages.get(trigger.messageId, at).withAnswer();
      return memberText(text, 'payload') ?? null;
    },
    // A message removed by retention is not a failure of this page.
    meta: { failure: 'own' },
    retry: false,
    staleTime: 60_000,
  });
  if (found.isPending) return <Skeleton label="Loading payload" />;
  if (found.data === undefined || found.data === null)
    return <p className="text-text-2">{found.isError ? 'No longer stored' : 'No message started this run'}</p>;
  return <CodeView label="Payload" text={found.data} />;
}
