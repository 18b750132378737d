import type { DryRun } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { HereLink } from './link.tsx';
import { State } from './state.tsx';

type Given = {
  of: readonly DryRun['data'][number][];
  /** How many were asked, where the channel has more. */
  first?: number | undefined;
  /** The message was published: who would get it now, and is shown here, did not get it then. */
  isPast?: boolean;
};

/** Who would get a message, and why or why not, as a dry run has said. */
export function Verdicts({ of: rows, first, isPast = false }: Given) {
  const t = useTexts();
  return (
    <div className="wide">
      <table className="table">
        <tbody>
          {rows.map(({ subscriptionId, name, wouldReceive, reason, detail, heldBy }) => (
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
                {isPast && wouldReceive && <div className="muted">{t.messages.since}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {first !== undefined && <p className="muted">{t.messages.furtherVerdicts(first)}</p>}
    </div>
  );
}
