import { useQuery } from '@tanstack/react-query';
import { api, type RunStats } from '../api/client.ts';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Chart } from './chart.tsx';
import type { Series } from './chart-given.ts';
import { useMarks } from './use-marks.ts';

const EVERY_MS = 10_000;
/** The span of a list without one. */
const USUAL = '24h';

const OUTCOMES = [
  ['completed', 'delivered'],
  ['failed', 'failed'],
  ['cancelled', 'pending'],
  ['skipped', 'held'],
] as const satisfies readonly (readonly [keyof RunStats['totals'], Series['look']])[];

/** How runs ended over the span of the list, of one workflow or of all. An outcome is a filter, and a step narrows the span. */
export function RunOutcomes({ workflowId }: { workflowId: string | undefined }) {
  const t = useTexts();
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const { status, since = USUAL, until } = search;
  const found = useQuery({
    queryKey: [path, 'run-outcomes', workflowId, since, until],
    queryFn: () => api.stats.getRuns({ workflowId, since: sinceOf(since), until: sinceOf(until) }, at),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const marks = useMarks({ since: found.data?.since, until: found.data?.until, isWanted: found.data !== undefined });
  if (found.data === undefined) return null;
  const { points, stepSeconds, totals, unfinished } = found.data;
  if (Object.values(totals).every((count) => count === 0)) return null;
  const number = (value: number): string => value.toLocaleString(t.figures.locale);
  const times = points.map((point) => point.at);
  const only = OUTCOMES.find(([outcome]) => outcome === status)?.[0];
  const shown = OUTCOMES.filter(([outcome]) =>
    only === undefined ? outcome === 'completed' || totals[outcome] > 0 : only === outcome,
  );
  return (
    <Chart
      title={t.figures.outcomes}
      times={times}
      stepSeconds={stepSeconds}
      marks={marks}
      series={shown.map(([outcome, look]) => ({
        name: t.states[outcome],
        look,
        values: points.map((point) => point[outcome]),
      }))}
      kind="bars"
      format={number}
      isSlim
      beside={
        <span className="muted">
          {t.figures.startedRuns(number(totals.started))} ·{' '}
          {t.figures.unfinishedRuns(
            unfinished.isMore ? t.figures.moreThan(number(unfinished.count)) : number(unfinished.count),
          )}
        </span>
      }
      onPick={(name) =>
        change({ status: OUTCOMES.find(([outcome]) => t.states[outcome] === name)?.[0] ?? '', open: '' })
      }
      onSpan={(span) => change({ ...span, open: '' })}
      below={
        <>
          {status !== undefined && only === undefined && (
            <p className="muted">{t.figures.notNarrowedRuns(t.fields.status)}</p>
          )}
          <p className="muted">{t.figures.runsMadeThen}</p>
        </>
      }
    />
  );
}
