import type { DryRun } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { HereLink } from './link.tsx';
import { State } from './state.tsx';

/** Who would get a message, and why or why not, as a dry run has said. */
export function Verdicts({ found }: { found: DryRun }) {
  const t = useTexts();
  if (found.data.length === 0) return <p className="muted">{t.messages.nobody}</p>;
  return (
    <div className="wide">
      <table className="table">
        <tbody>
          {found.data.map(({ subscriptionId, name, wouldReceive, reason, detail, heldBy }) => (
            <tr key={subscriptionId}>
              <td>
                <State
                  of={wouldReceive ? 'delivered' : 'failed'}
                  word={wouldReceive ? t.messages.would : t.messages.wouldNot}
                />
              </td>
              <td>
                <HereLink to={`/subscriptions/${subscriptionId}`}>{name}</HereLink>
              </td>
              <td>
                {t.verdicts[reason]}
                {detail !== undefined && <div className="muted">{detail}</div>}
                {heldBy !== undefined && <div className="muted">{t.deliveries.waitsFor(t.held[heldBy])}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.pagination.hasMore && <p className="muted">{t.messages.furtherVerdicts(found.data.length)}</p>}
    </div>
  );
}
