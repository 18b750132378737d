import type { DryRun } from '../../api/client.ts';
import { counted } from '../../lib/words.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink, PROSE_LINK } from '../../parts/link.tsx';
import { Section } from '../../ui/layout.tsx';
import { StartedWorkflows } from './started-workflows.tsx';
import { VerdictRows } from './verdict-rows.tsx';

/** Who will receive the message being written, and which workflows it starts, according to their present settings. */
export function Recipients({
  of: routes,
  error,
  channelId,
  eventType,
  waitsFor,
}: {
  of: DryRun | undefined;
  error: unknown;
  channelId: string;
  eventType: string;
  /** What is missing before this can be determined. */
  waitsFor: string | undefined;
}) {
  const rows = routes?.data ?? [];
  const will = rows.filter(({ wouldReceive }) => wouldReceive).length;
  const isShown = waitsFor === undefined && routes !== undefined;
  return (
    <>
      <Section title="Recipients">
        <div aria-live="polite" className="flex flex-col gap-2">
          {waitsFor !== undefined && <p className="text-text-2">{waitsFor}</p>}
          {waitsFor === undefined && routes === undefined && error === null && <p className="text-text-2">Checking…</p>}
          {isShown && rows.length > 0 && (
            <p className="text-text-2">
              {will} of {counted(rows.length, 'subscription')}
              {routes.pagination.hasMore && ' (the newest)'} will receive it
            </p>
          )}
          {isShown && rows.length === 0 && (
            <p className="text-text-2">
              The channel has no subscriptions.{' '}
              <HereLink to="/subscriptions/new" search={{ channel: channelId }} className={PROSE_LINK}>
                Create subscription
              </HereLink>
            </p>
          )}
          {isShown && rows.length > 0 && (
            <VerdictRows
              of={rows.toSorted((one, other) => Number(other.wouldReceive) - Number(one.wouldReceive))}
              label="Recipients"
            />
          )}
          {waitsFor === undefined && <FailureNote error={error} />}
        </div>
      </Section>
      {waitsFor === undefined && <StartedWorkflows channelId={channelId} eventType={eventType} />}
    </>
  );
}
