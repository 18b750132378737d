import type { Stats } from '../api/client.ts';
import { deliveredOf } from '../lib/delivered.ts';
import { countText, durationText, shareOf, shareText } from '../lib/format.ts';
import { type Figure, Sparkline } from '../ui/figures.tsx';
import { Tip } from '../ui/tooltip.tsx';
import { HereLink } from './link.tsx';

type Search = Readonly<Record<string, string>>;

/** Deliveries that took at least this long are slow; their list has a filter for it. */
const SLOW_MS = '1000';

/** The label of a figure, which links to its rows. */
export const figureName = (text: string, to: string, search: Search) => (
  <HereLink to={to} search={search} className="hover:text-text hover:underline">
    {text}
  </HereLink>
);

/**
 * The success rate of finished deliveries. It can be 100% while current deliveries are being retried again and again;
 * the figure says so then.
 */
export function successRate(
  now: Stats,
  earlier: Stats,
  { rows, isFailing = false }: { rows: Search; isFailing?: boolean },
): Figure {
  const [rate, before] = [deliveredOf(now.deliveries), deliveredOf(earlier.deliveries)];
  const share = shareOf(rate.delivered, rate.finished);
  const shareBefore = shareOf(before.delivered, before.finished);
  const points = share === undefined || shareBefore === undefined ? undefined : share - shareBefore;
  const isMisleading = share === 100 && isFailing;
  const finished = `${rate.delivered.toLocaleString('en-US')} of ${rate.finished.toLocaleString('en-US')} finished deliveries`;
  return {
    label: (
      <>
        {figureName('Success rate', '/deliveries', rows)}
        {rate.retrying > 0 && (
          <HereLink to="/deliveries" search={{ ...rows, status: 'retrying' }} className="text-retrying hover:underline">
            {countText(rate.retrying)} retrying
          </HereLink>
        )}
      </>
    ),
    value: (
      <Tip text={`${finished}${now.deliveries.isExact ? '' : ', the newest of this range'}`}>
        <span>{isMisleading ? '—' : shareText(rate.delivered, rate.finished).replace(/%$/, '')}</span>
      </Tip>
    ),
    unit: isMisleading || share === undefined ? undefined : '% of deliveries',
    delta: isMisleading
      ? { text: 'Failing', look: 'bad' }
      : points === undefined || Math.abs(points) < 0.05
        ? undefined
        : { text: `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pts`, look: points < 0 ? 'bad' : 'plain' },
    below: (
      <Sparkline values={now.points.map(courseOf)} isBad={isFailing || (points !== undefined && points <= -0.5)} />
    ),
  };
}

/** The 95th percentile of the response times. */
export function latency(now: Stats, earlier: Stats, rows: Search): Figure {
  const [p95, before] = [now.totals.latencyMs?.p95, earlier.totals.latencyMs?.p95];
  const [value, unit] = p95 === undefined ? ['—', undefined] : split(durationText(p95));
  const without = now.points.reduce((sum, { answers }) => sum + answers.none, 0);
  return {
    label: (
      <>
        {figureName('p95 latency', '/deliveries', { ...rows, slow: SLOW_MS })}
        {without > 0 && (
          <Tip text={`${without.toLocaleString('en-US')} attempts without a response, such as timeouts, are not in it`}>
            <span className="text-text-3 max-md:hidden">of responses</span>
          </Tip>
        )}
      </>
    ),
    value,
    unit,
    delta: p95 === undefined || before === undefined ? undefined : change(p95, before, { isWorse: true }),
    below: <Sparkline values={now.points.map((point) => point.latencyMs?.p95)} />,
  };
}

/** Open dead letters, and those of the range. `open`: undefined until it is known. */
export function openLetters(now: Stats, { open, search }: { open: string | undefined; search: Search }): Figure {
  const { deadLetters } = now.totals;
  return {
    label: figureName('Open dead letters', '/dead-letters', search),
    value: open ?? '—',
    delta:
      deadLetters === 0
        ? undefined
        : { text: `${countText(deadLetters)} new in this range`, look: open === '0' ? 'plain' : 'bad' },
    below: <Sparkline values={summed(now.points.map((point) => point.deadLetters))} isBad={deadLetters > 0} />,
  };
}

/** Returns the success rate of the deliveries of a time step, or undefined if none has finished. */
function courseOf({ deliveries, delivered, failedAttempts }: Stats['points'][number]): number | undefined {
  const [good, bad] =
    deliveries === undefined ? [delivered, failedAttempts] : [deliveries.delivered, deliveries.failed];
  return good + bad === 0 ? undefined : good / (good + bad);
}

const summed = (values: readonly number[]): number[] => {
  let sum = 0;
  return values.map((value) => (sum += value));
};

const split = (text: string): [value: string, unit: string | undefined] => {
  const [value = '', ...unit] = text.split(' ');
  return unit.length === 1 ? [value, unit[0]] : [text, undefined];
};

/** Returns the change of a figure in percent. `isWorse`: an increase is bad. */
export function change(now: number, before: number, { isWorse = false } = {}): Figure['delta'] {
  if (before === 0) return undefined;
  const percent = ((now - before) / before) * 100;
  if (Math.abs(percent) < 0.5) return undefined;
  const size =
    Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.round(Math.abs(percent)).toLocaleString('en-US');
  return { text: `${percent > 0 ? '+' : '−'}${size}%`, look: isWorse && percent > 5 ? 'bad' : 'plain' };
}
