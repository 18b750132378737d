import { useQuery } from '@tanstack/react-query';
import { api, type Mark, type Stats } from '../api/client.ts';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { Chart } from './chart.tsx';
import { FailedSince } from './failed-since.tsx';
import { FigureNumbers, type FiguresOf } from './figure-numbers.tsx';
import { State } from './state.tsx';
import { Unread } from './unread.tsx';
import { useMarks } from './use-marks.ts';

const EVERY_MS = 10_000;
const MOST_ANSWERS = 12;

/** The mark that the address names, where it is one of the latest hundred. */
export function useMark(): Mark | undefined {
  const [search] = useAddress();
  const marks = useMarks();
  return search['mark'] === undefined ? undefined : marks.find(({ id }) => id === search['mark']);
}

/** Figures from a mark on, for as long as the range or until now, and those of as long before it. */
function useFigures(of: FiguresOf, { id, at: markedAt }: Mark, range: string) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'figures', of, id, range],
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
    queryFn: async () => {
      const now = Date.now();
      const length = now - Date.parse(sinceOf(range) ?? markedAt);
      const end = new Date(Math.min(now, Date.parse(markedAt) + length)).toISOString();
      const after = await api.stats.get({ ...of, since: markedAt, until: end }, at);
      // The step in which it was marked counts as after, and no step counts on both sides.
      const steps = Date.parse(after.until) - Date.parse(after.since);
      const since = new Date(Date.parse(after.since) - steps).toISOString();
      return { after, before: await api.stats.get({ ...of, since, until: after.since }, at) };
    },
  });
}

/** Figures that have become better and worse since a moment that was marked, such as a deployment. */
export function MarkFigures({ of, mark, range }: { of: FiguresOf; mark: Mark; range: string }) {
  const found = useFigures(of, mark, range);
  if (found.data === undefined) return <Unread of={found} />;
  return <Compared {...found.data} mark={mark} of={of} />;
}

function Compared({ after, before, mark, of }: { after: Stats; before: Stats; mark: Mark; of: FiguresOf }) {
  const t = useTexts();
  const times = after.points.map(({ at }) => at);
  const length = Date.parse(after.until) - Date.parse(after.since);
  const count = (value: number): string => value.toLocaleString(t.figures.locale);
  const common = { times, stepSeconds: after.stepSeconds, kind: 'lines' } as const;
  return (
    <>
      <p>
        {t.figures.sinceMark(durationText(length, t.units), mark.name)} <FailedSince at={mark.at} />
      </p>
      <FigureNumbers
        now={after}
        earlier={before}
        of={of}
        span={{ since: after.since, until: after.until }}
        word={t.figures.beforeMark}
      />
      <div className="columns">
        <Chart
          {...common}
          title={t.figures.failedTries}
          hasZero
          format={count}
          series={[
            { name: t.figures.after, look: 'failed', values: after.points.map((each) => each.failedAttempts) },
            { name: t.figures.asLongBefore, look: 'before', values: before.points.map((each) => each.failedAttempts) },
          ]}
        />
        <Chart
          {...common}
          title={t.figures.p95}
          format={(value) => (value === 0 ? '–' : durationText(value, t.units))}
          series={[
            { name: t.figures.after, look: 'accent', values: after.points.map((each) => each.latencyMs?.p95 ?? 0) },
            {
              name: t.figures.asLongBefore,
              look: 'before',
              values: before.points.map((each) => each.latencyMs?.p95 ?? 0),
            },
          ]}
        />
      </div>
      <Answers after={after} before={before} />
    </>
  );
}

type Answer = { word: string; isGood: boolean; after: number; before: number };

/** Attempts by what receivers have answered, since and before; a failure that was not there before is new. */
function Answers({ after, before }: { after: Stats; before: Stats }) {
  const t = useTexts();
  const rows = new Map<string, Answer>();
  for (const [side, { answers }] of [
    ['after', after],
    ['before', before],
  ] as const)
    for (const each of answers) {
      const isStatus = 'status' in each;
      const word = isStatus ? String(each.status) : t.errorClasses[each.errorClass];
      const isGood = isStatus && each.status >= 200 && each.status < 300;
      const row = rows.get(word) ?? { word, isGood, after: 0, before: 0 };
      rows.set(word, { ...row, [side]: each.count });
    }
  if (rows.size === 0) return null;
  const count = (value: number): string => value.toLocaleString(t.figures.locale);
  return (
    <section className="box wide" aria-label={t.figures.answers}>
      <table className="table">
        <thead>
          <tr>
            <th>{t.figures.answers}</th>
            <th className="number">{t.figures.after}</th>
            <th className="number">{t.figures.asLongBefore}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {[...rows.values()]
            .toSorted((a, b) => Number(a.isGood) - Number(b.isGood) || b.after - a.after)
            .slice(0, MOST_ANSWERS)
            .map((row) => (
              <tr key={row.word}>
                <td>
                  <State of={row.isGood ? 'delivered' : 'failed'} word={row.word} />
                </td>
                <td className="number">{count(row.after)}</td>
                <td className="number">{count(row.before)}</td>
                <td>{!row.isGood && row.before === 0 && <strong>{t.figures.isNew}</strong>}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
