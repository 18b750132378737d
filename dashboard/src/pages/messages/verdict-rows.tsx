import type { DryRun } from '../../api/client.ts';
import { HELD_WORDS } from '../../lib/words.ts';
import { HereLink } from '../../parts/link.tsx';
import { StatusIcon } from '../../ui/status.tsx';

type Verdict = DryRun['data'][number];

const VERDICTS: Readonly<Record<Verdict['reason'], string>> = {
  no_filter: 'No filter',
  filter_matches: 'Filter matches',
  event_type: 'Not subscribed to this event type',
  filter_does_not_match: "Filter doesn't match",
  filter_failed: 'Filter error',
};

/**
 * Who receives a message and why, one line per subscription. `isPast`: the message was published, and none of these has
 * a delivery of it.
 */
export function VerdictRows({
  of: rows,
  label,
  isPast = false,
}: {
  of: readonly Verdict[];
  label: string;
  isPast?: boolean;
}) {
  return (
    <ul aria-label={label} className="overflow-hidden rounded-8 border border-line-strong">
      {rows.map(({ subscriptionId, name, wouldReceive, reason, detail, heldBy }) => (
        <li
          key={subscriptionId}
          className="flex min-h-row flex-wrap items-center gap-x-2 border-line px-3 py-1.5 not-last:border-b"
        >
          <StatusIcon
            tone={wouldReceive ? 'delivered' : reason === 'filter_failed' ? 'failed' : 'cancelled'}
            label={wouldReceive ? 'Will receive' : "Won't receive"}
          />
          <HereLink to={`/subscriptions/${subscriptionId}`} className="min-w-0 truncate hover:underline">
            {name}
          </HereLink>
          <span className="ml-auto text-right text-12 text-text-2">
            {isPast && wouldReceive ? 'Matches now: created or changed since' : VERDICTS[reason]}
            {heldBy !== undefined && `, on hold: ${HELD_WORDS[heldBy].toLowerCase()}`}
          </span>
          {detail !== undefined && (
            <span className="mono basis-full pl-5.5 text-12 text-text-2 [overflow-wrap:anywhere]">{detail}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
