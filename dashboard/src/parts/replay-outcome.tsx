import type { BulkReplay } from '../api/client.ts';
import { countText } from '../lib/bounded-count.ts';
import { useTexts } from '../lib/texts.ts';
import { HereLink } from './link.tsx';
import type { Column } from './list.tsx';
import { State } from './state.tsx';

export type Replay = {
  id: string;
  createdAt: string;
  status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  outcome: Outcome;
};
type Outcome = BulkReplay['outcome'];

// Bounds of the service: each number is counted up to it, in a list and alone.
const MOST_IN_LIST = 1_000;
const MOST = 10_000;

const PARTS = [
  ['succeeded', 'delivered', 'delivered'],
  ['underWay', 'retrying', 'pending,retrying'],
  ['failed', 'failed', 'failed'],
] as const;

const textOf = ({ isComplete, ...counts }: Outcome, part: (typeof PARTS)[number][0], most: number): string =>
  countText({ count: counts[part], isMore: !isComplete && counts[part] >= most });

/** The state of a replay: one that has asked for all is not over before its rows are, and says when some have failed again. */
export function ReplayState({ of: { status, outcome }, asked }: { of: Replay; asked: number }) {
  const t = useTexts();
  const words = t.replays.outcome.states;
  const { succeeded, underWay, failed } = outcome;
  if (status !== 'completed' || asked === 0) return <State of={status} />;
  if (underWay > 0) return <State of="running" word={words.underWay} />;
  if (failed > 0) return succeeded > 0 ? <State of="failed" word={words.failed} /> : <State of="failed" />;
  return succeeded > 0 ? <State of="completed" /> : <State of="pending" word={words.asked} />;
}

/** Columns of a list of replays: what has become of their rows. */
export function useOutcomeColumns<Row extends Replay>(): readonly Column<Row>[] {
  const t = useTexts();
  return PARTS.map(([part]) => ({
    head: t.replays.outcome.heads[part],
    width: '80px',
    isNumber: true,
    cell: ({ outcome }: Row) => textOf(outcome, part, MOST_IN_LIST),
  }));
}

/**
 * The fate of the rows that a replay has made due, each number with the list of its deliveries. `asked`: how many there were. Runs are
 * among the numbers and not in that list: a replay `isOfRuns` alone leads nowhere.
 */
export function OutcomeOfReplay({
  of: { id, outcome },
  asked,
  isOfRuns,
}: {
  of: Replay;
  asked: number;
  isOfRuns: boolean;
}) {
  const t = useTexts();
  const words = t.replays.outcome;
  if (asked === 0) return null;
  const elsewhere = asked - outcome.succeeded - outcome.underWay - outcome.failed;
  return (
    <section className="stack" aria-label={words.title}>
      <div className="buttons">
        {PARTS.map(([part, look, status]) => {
          const count = <State key={part} of={look} word={words.counts[part](textOf(outcome, part, MOST))} />;
          if (isOfRuns) return count;
          return (
            <HereLink key={part} to="/deliveries" search={{ replay: id, status }}>
              {count}
            </HereLink>
          );
        })}
      </div>
      {outcome.isComplete && elsewhere > 0 && <p className="muted">{words.elsewhere(elsewhere)}</p>}
      {!isOfRuns && (
        <div className="buttons">
          <HereLink to="/deliveries" search={{ replay: id }} className="button">
            {words.see}
          </HereLink>
        </div>
      )}
    </section>
  );
}
