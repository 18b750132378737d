import { useQuery } from '@tanstack/react-query';
import { api, type Stats } from '../api/client.ts';
import { oneOf, sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/times.ts';
import { Chart } from './chart.tsx';
import { useMarks } from './use-marks.ts';
import { Unread } from './unread.tsx';

export const RANGES = ['1h', '24h', '7d', '30d'] as const;
type Range = (typeof RANGES)[number];
const EVERY_MS = 10_000;

/** Which span the figures of a page have: it stands in the address. */
export function useRange(): Range {
  const [search] = useAddress();
  return oneOf(search['range'], RANGES) ?? '24h';
}

type Of = { channelId?: string; subscriptionId?: string };

/** Figures of a span and of the one before it, of the environment or of one thing. */
function useFigures(of: Of, range: Range) {
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

/** How much was accepted, how much has arrived, and how long receivers take: numbers, each beside the period before, and charts. */
export function Figures({ of }: { of: Of }) {
  const t = useTexts();
  const range = useRange();
  const [, change] = useAddress();
  const found = useFigures(of, range);
  return (
    <section className="section" aria-label={t.figures.title}>
      <div className="heading">
        <h2>{t.figures.title}</h2>
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
      {found.data === undefined ? (
        <Unread of={found} />
      ) : (
        <Shown {...found.data} isOfSubscription={'subscriptionId' in of} />
      )}
    </section>
  );
}

/** The part that has arrived, in percent with one digit; undefined where nothing was tried. */
export function deliveredPercent({ delivered, failedAttempts }: Stats['totals']): number | undefined {
  const all = delivered + failedAttempts;
  if (all === 0) return undefined;
  // Never 100 while one has failed.
  return failedAttempts === 0 ? 100 : Math.min(99.9, Math.round((delivered / all) * 1_000) / 10);
}

function Shown({ now, earlier, isOfSubscription }: { now: Stats; earlier: Stats; isOfSubscription: boolean }) {
  const t = useTexts();
  const { totals, points, stepSeconds } = now;
  const times = points.map(({ at }) => at);
  const marks = useMarks({ since: now.since, until: now.until });
  const count = (value: number): string => value.toLocaleString(t.figures.locale);
  const percent = (of: Stats['totals']): string => {
    const value = deliveredPercent(of);
    return value === undefined ? '–' : `${value.toLocaleString(t.figures.locale)} %`;
  };
  const latency = (of: Stats['totals']): string => (of.latencyMs === undefined ? '–' : durationText(of.latencyMs.p95));
  return (
    <>
      <dl className="numbers">
        {!isOfSubscription && (
          <Number
            name={t.figures.accepted}
            value={count(totals.accepted ?? 0)}
            before={count(earlier.totals.accepted ?? 0)}
          />
        )}
        <Number name={t.figures.deliveredPart} value={percent(totals)} before={percent(earlier.totals)} />
        <Number name={t.figures.p95} value={latency(totals)} before={latency(earlier.totals)} />
        <Number
          name={t.figures.deadLetters}
          value={count(totals.deadLetters)}
          before={count(earlier.totals.deadLetters)}
        />
      </dl>
      <div className="columns">
        <Chart
          title={t.figures.attempts}
          times={times}
          stepSeconds={stepSeconds}
          marks={marks}
          kind="bars"
          format={count}
          series={[
            { name: t.figures.delivered, look: 'delivered', values: points.map(({ delivered }) => delivered) },
            { name: t.figures.failed, look: 'failed', values: points.map(({ failedAttempts }) => failedAttempts) },
          ]}
        />
        <Chart
          title={t.figures.latency}
          times={times}
          stepSeconds={stepSeconds}
          marks={marks}
          kind="lines"
          format={(value) => (value === 0 ? '–' : durationText(value))}
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

function Number({ name, value, before }: { name: string; value: string; before: string }) {
  const t = useTexts();
  return (
    <div className="box">
      <dt className="muted">{name}</dt>
      <dd className="big">{value}</dd>
      <dd className="muted">{t.figures.before(before)}</dd>
    </div>
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
