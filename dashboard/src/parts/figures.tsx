import { useQuery } from '@tanstack/react-query';
import { api, type Stats } from '../api/client.ts';
import { oneOf, sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { AnswersOverTime } from './answers-over-time.tsx';
import { Chart } from './chart.tsx';
import { FigureNumbers, type FiguresOf, rowsOf } from './figure-numbers.tsx';
import { useGo } from './link.tsx';
import { MarkButton } from './mark-button.tsx';
import { MarkFigures, useMark } from './mark-figures.tsx';
import { useMarks } from './use-marks.ts';
import { Unread } from './unread.tsx';

const RANGES = ['1h', '24h', '7d', '30d'] as const;
type Range = (typeof RANGES)[number];
const EVERY_MS = 10_000;
/** So many marks can be chosen. */
const SHOWN_MARKS = 10;

/** Which span the figures of a page have: it stands in the address. */
function useRange(): Range {
  const [search] = useAddress();
  return oneOf(search['range'], RANGES) ?? '24h';
}

/** Figures of a span and of the one before it, of the environment or of one thing. */
function useFigures(of: FiguresOf, range: Range) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'figures', of, range],
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
    queryFn: async () => {
      const since = sinceOf(range);
      const until = new Date().toISOString();
      const before = new Date(2 * Date.parse(since ?? until) - Date.parse(until)).toISOString();
      const [now, earlier] = await Promise.all([
        api.stats.get({ ...of, since, until }, at),
        api.stats.get({ ...of, since: before, until: since }, at),
      ]);
      return { now, earlier };
    },
  });
}

/**
 * How much was accepted, how much has arrived, and how long receivers take: numbers and charts, beside the period before, or from a mark on
 * beside as long before it.
 */
export function Figures({ of }: { of: FiguresOf }) {
  const t = useTexts();
  const range = useRange();
  const mark = useMark();
  const marks = useMarks();
  const [, change] = useAddress();
  return (
    <section className="section" aria-label={t.figures.title}>
      <div className="heading">
        <h2>{t.figures.title}</h2>
        {marks.length > 0 && (
          <label>
            {t.figures.compare}{' '}
            <select className="input" value={mark?.id ?? ''} onChange={(event) => change({ mark: event.target.value })}>
              <option value="">{t.figures.periodBefore}</option>
              {marks.slice(0, SHOWN_MARKS).map(({ id, name }) => (
                <option key={id} value={id}>
                  {t.figures.around(name)}
                </option>
              ))}
              {mark !== undefined && marks.indexOf(mark) >= SHOWN_MARKS && (
                <option value={mark.id}>{t.figures.around(mark.name)}</option>
              )}
            </select>
          </label>
        )}
        {of.subscriptionId !== undefined && <MarkButton />}
        <label>
          {t.figures.range}{' '}
          <select className="input" value={range} onChange={(event) => change({ range: event.target.value })}>
            {RANGES.map((each) => (
              <option key={each} value={each}>
                {t.list.last[each]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {mark === undefined ? <PeriodFigures of={of} range={range} /> : <MarkFigures of={of} mark={mark} range={range} />}
    </section>
  );
}

/** Figures of the range until now, beside the period before. */
function PeriodFigures({ of, range }: { of: FiguresOf; range: Range }) {
  const found = useFigures(of, range);
  if (found.data === undefined) return <Unread of={found} />;
  return <Shown {...found.data} of={of} range={range} />;
}

function Shown({ now, earlier, of, range }: { now: Stats; earlier: Stats; of: FiguresOf; range: Range }) {
  const t = useTexts();
  const go = useGo();
  const { points, stepSeconds } = now;
  const times = points.map(({ at }) => at);
  const marks = useMarks({ since: now.since, until: now.until });
  const count = (value: number): string => value.toLocaleString(t.figures.locale);
  const onSpan = (span: { since: string; until: string }): void => go('/deliveries', { ...rowsOf(of), ...span });
  return (
    <>
      <FigureNumbers now={now} earlier={earlier} of={of} span={{ since: range }} word={t.figures.before} />
      <div className="columns">
        {of.subscriptionId === undefined ? (
          <Chart
            title={t.figures.attempts}
            times={times}
            stepSeconds={stepSeconds}
            marks={marks}
            kind="bars"
            format={count}
            onSpan={onSpan}
            series={[
              { name: t.figures.delivered, look: 'delivered', values: points.map(({ delivered }) => delivered) },
              { name: t.figures.failed, look: 'failed', values: points.map(({ failedAttempts }) => failedAttempts) },
            ]}
          />
        ) : (
          <AnswersOverTime of={now} onSpan={onSpan} below={<p className="muted">{t.figures.madeThen}</p>} />
        )}
        <Chart
          title={t.figures.latency}
          times={times}
          stepSeconds={stepSeconds}
          marks={marks}
          kind="lines"
          onSpan={onSpan}
          format={(value) => (value === 0 ? '–' : durationText(value, t.units))}
          series={[
            { name: t.figures.half, look: 'accent', values: points.map(({ latencyMs }) => latencyMs?.p50 ?? 0) },
            { name: t.figures.most95, look: 'held', values: points.map(({ latencyMs }) => latencyMs?.p95 ?? 0) },
          ]}
        />
      </div>
      <Answers of={now} />
    </>
  );
}

const MOST_ANSWERS = 12;

/** Attempts by what the receivers have answered. */
function Answers({ of: { answers } }: { of: Stats }) {
  const t = useTexts();
  if (answers.length === 0) return null;
  return (
    <p className="answers">
      <span className="muted">{t.figures.answers}</span>
      {answers.slice(0, MOST_ANSWERS).map((each) => {
        const isStatus = 'status' in each;
        const isGood = isStatus && each.status >= 200 && each.status < 300;
        const word = isStatus ? String(each.status) : t.errorClasses[each.errorClass];
        return (
          <span key={word} className={isGood ? 'state delivered' : 'state failed'}>
            {word} <span className="muted">{each.count.toLocaleString(t.figures.locale)}</span>
          </span>
        );
      })}
    </p>
  );
}
