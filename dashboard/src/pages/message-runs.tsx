import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Failure } from '../parts/failure.tsx';
import { HereLink } from '../parts/link.tsx';
import { RunState } from '../parts/run-state.tsx';
import { ThingName } from '../parts/thing-name.tsx';

/** The runs that a message has begun: one of each workflow at most. */
export function MessageRuns({ id }: { id: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const runs = useQuery({
    queryKey: [path, 'runs-of-message', id],
    queryFn: async () => (await api.runs.list({ messageId: id, outputs: 'false', limit: 100 }, at).page()).data,
    refetchInterval: 3_000,
  });
  const rows = runs.data ?? [];
  return (
    <section className="section">
      <h2>{t.nav.names.runs}</h2>
      <Failure error={runs.error} />
      {rows.length === 0 && runs.isSuccess && <p className="muted">{t.runs.noneOfMessage}</p>}
      {rows.length > 0 && (
        <div className="wide">
          <table className="table">
            <thead>
              <tr>
                <th>{t.fields.status}</th>
                <th>{t.workflows.one}</th>
                <th>{t.fields.run}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <td>
                    <RunState of={row} />
                  </td>
                  <td>
                    <HereLink to={`/workflows/${row.workflowId}`}>
                      <ThingName kind="workflow" id={row.workflowId} />
                    </HereLink>
                  </td>
                  <td>
                    <HereLink to={`/runs/${row.id}`} className="mono">
                      {row.id}
                    </HereLink>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
