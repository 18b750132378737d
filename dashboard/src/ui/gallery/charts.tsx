import { type ReactNode, useState } from 'react';
import { CodeBadge } from '../badge.tsx';
import { BarList } from '../chart/bar-list.tsx';
import { ChartLegend } from '../chart/chart-legend.tsx';
import { ChartTable, TableToggle } from '../chart/chart-table.tsx';
import type { ChartSeries } from '../chart/series.ts';
import { TimeChart } from '../chart/time-chart.tsx';
import { Section } from '../layout.tsx';

const NOW = Date.parse('2026-11-28T14:03:12Z');
const QUARTER = 900;

/** Returns the times of `count` steps, the last of which lasts until now. */
function stepsOf(count: number, seconds: number): string[] {
  const last = Math.floor(NOW / (seconds * 1_000)) * seconds * 1_000;
  return Array.from({ length: count }, (_, at) => new Date(last - (count - 1 - at) * seconds * 1_000).toISOString());
}

/** Invented numbers that are the same on every visit. */
const noise = (at: number, seed = 1): number => Math.abs(Math.sin(at * 12.9898 + seed * 78.233) * 43_758.5453) % 1;

const DAY = stepsOf(96, QUARTER);
const isBroken = (at: number): boolean => at >= 74;
const wave = (at: number): number => 160 + 66 * Math.sin(at / 17 - 0.3) + 20 * noise(at);
const delivered = DAY.map((_, at) => Math.round(isBroken(at) ? 52 + (at - 74) * 1.4 + 12 * noise(at, 2) : wave(at)));
const failed = DAY.map((_, at) => (isBroken(at) ? Math.round(35 + 30 * noise(at, 3)) : noise(at, 4) > 0.86 ? 1 : 0));
const retrying = DAY.map((_, at) => (isBroken(at) ? Math.round(4 + 9 * noise(at, 5)) : 0));

const ATTEMPTS: ChartSeries[] = [
  { key: 'delivered', label: 'Delivered', tone: 'delivered', values: delivered },
  { key: 'failed', label: 'Failed', tone: 'failed', values: failed },
  { key: 'retrying', label: 'Retrying', tone: 'retrying', values: retrying },
];
const MARKS = [{ at: '2026-11-28T07:46:00Z', label: 'Deploy 4.2' }];

const isGap = (at: number): boolean => (at > 36 && at < 52) || at === 58 || at === 60;
const latency = (base: number, part: number, seed: number) =>
  DAY.map((_, at) => (isGap(at) ? undefined : Math.round(base + part * noise(at, seed) + (isBroken(at) ? part : 0))));
const LATENCY: ChartSeries[] = [
  { key: 'p95', label: 'p95', tone: 'accent', values: latency(280, 80, 7) },
  { key: 'p50', label: 'p50', tone: 'quiet', values: latency(170, 40, 8) },
];

const MINUTES = stepsOf(1_440, 60);
const inLast = (minutes: number, value: (at: number) => number) =>
  MINUTES.map((_, at) => (at >= MINUTES.length - minutes ? value(at) : 0));
const RECENT: ChartSeries[] = [
  {
    key: 'delivered',
    label: 'Delivered',
    tone: 'delivered',
    values: inLast(66, (at) => 20 + Math.round(16 * noise(at))),
  },
  { key: 'failed', label: 'Failed', tone: 'failed', values: inLast(24, (at) => Math.round(18 * noise(at, 9))) },
];
const FEW: ChartSeries[] = [
  { key: 'delivered', label: 'Delivered', tone: 'delivered', values: inLast(1, () => 11) },
  { key: 'failed', label: 'Failed', tone: 'failed', values: inLast(1, () => 1) },
];
const NONE: ChartSeries[] = [{ key: 'delivered', label: 'Delivered', tone: 'delivered', values: DAY.map(() => 0) }];

const inMilliseconds = (value: number): string => `${value} ms`;

/** Each state of a chart, with invented data. */
export function ChartStates() {
  const [said, setSaid] = useState('');
  const onSpan = (from: string, to: string): void => setSaid(`Selected ${from} – ${to}`);
  const onPick = (from: string): void => setSaid(`Picked ${from}`);
  return (
    <div className="flex flex-col gap-8">
      <Overview onSpan={onSpan} onPick={onPick} />
      <Strip onSpan={onSpan} onPick={onPick} />
      <div className="grid gap-4 lg:grid-cols-3">
        <State title="Zoomed to the data" note="data fill less than a third of 24 hours">
          <TimeChart label="Attempts" {...RECENT_GIVEN} height={84} isSlim onSpan={onSpan} />
        </State>
        <State title="Gap in a line" note="no requests, so no latency">
          <TimeChart
            label="Latency"
            times={DAY}
            stepSeconds={QUARTER}
            series={LATENCY}
            kind="lines"
            height={64}
            format={inMilliseconds}
            now={NOW}
            syncKey="gallery"
          />
          <ChartLegend
            kind="lines"
            entries={[
              { key: 'p95', label: 'p95', tone: 'accent', count: '412 ms' },
              { key: 'p50', label: 'p50', tone: 'quiet', count: '226 ms' },
            ]}
          />
        </State>
        <State title="Fewer than three bars" note="a figure instead of a chart">
          <TimeChart label="Attempts" times={MINUTES} stepSeconds={60} series={FEW} kind="bars" height={64} now={NOW} />
        </State>
        <State title="Nothing in the range" note="a baseline, not an empty box">
          <TimeChart
            label="Attempts"
            times={DAY}
            stepSeconds={QUARTER}
            series={NONE}
            kind="bars"
            height={64}
            empty="No attempts in the last 24 hours"
            now={NOW}
          />
        </State>
        <State title="One series" note="no legend, the zone of the browser">
          <TimeChart
            label="Messages"
            times={DAY}
            stepSeconds={QUARTER}
            series={[{ key: 'messages', label: 'Messages', tone: 'accent', values: delivered }]}
            kind="bars"
            height={64}
            zone="local"
            now={NOW}
            syncKey="gallery"
          />
        </State>
        <State title="Compared" note="a delta says it shorter than a second chart">
          <p className="text-text-2 tabular-nums">
            <strong className="mr-2 text-24 font-medium tracking-tight text-text">97.1%</strong>
            <span className="mr-2 text-12 font-medium text-failed">−2.7 pts</span>
            since Deploy 4.2
          </p>
        </State>
        <State title="Loading" note="as high as the chart">
          <TimeChart label="Attempts" times={[]} stepSeconds={QUARTER} series={[]} kind="bars" height={64} isLoading />
        </State>
      </div>
      <p role="status" className="min-h-4 text-12 text-text-3">
        {said}
      </p>
    </div>
  );
}

const RECENT_GIVEN = { times: MINUTES, stepSeconds: 60, series: RECENT, kind: 'bars', now: NOW } as const;
type Takes = { onSpan: (from: string, to: string) => void; onPick: (from: string) => void };

/** As on the overview: the legend in the title line, and responses next to the chart. */
function Overview({ onSpan, onPick }: Takes) {
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [isTable, setIsTable] = useState(false);
  const given = { times: DAY, stepSeconds: QUARTER, series: ATTEMPTS, kind: 'bars', height: 148, now: NOW } as const;
  return (
    <div className="grid gap-x-8 gap-y-7 xl:grid-cols-[minmax(0,1fr)_328px]">
      <Section
        title={
          <span className="flex flex-wrap items-center gap-x-5">
            Delivery attempts
            <span className="font-normal max-md:hidden">
              <ChartLegend
                entries={ATTEMPTS}
                hidden={hidden}
                onToggle={(key) =>
                  setHidden(hidden.includes(key) ? hidden.filter((each) => each !== key) : [...hidden, key])
                }
              />
            </span>
          </span>
        }
        end={<TableToggle isTable={isTable} onChange={setIsTable} />}
      >
        {isTable ? (
          <ChartTable label="Delivery attempts" {...given} onPick={onPick} />
        ) : (
          <TimeChart
            label="Delivery attempts"
            {...given}
            hidden={hidden}
            marks={MARKS}
            syncKey="gallery"
            onSpan={onSpan}
            onPick={onPick}
          />
        )}
      </Section>
      <Section title="Responses" end={<span className="text-12 text-text-3">13,275 attempts</span>}>
        <BarList
          label="Responses"
          total={13_275}
          rows={[
            { key: '200', name: <CodeBadge code={200} />, count: 9_412, tone: 'delivered' },
            { key: '204', name: <CodeBadge code={204} />, count: 2_490, tone: 'delivered' },
            { key: '500', name: <CodeBadge code={500} />, count: 1_204, tone: 'failed' },
            { key: 'timeout', name: <CodeBadge>timeout</CodeBadge>, count: 121, tone: 'failed' },
            { key: '429', name: <CodeBadge code={429} />, count: 48, tone: 'retrying' },
          ]}
        />
      </Section>
    </div>
  );
}

/** As above the list of deliveries. */
function Strip({ onSpan, onPick }: Takes) {
  return (
    <div className="grid gap-x-6 gap-y-2 md:grid-cols-[auto_minmax(0,1fr)]">
      <ChartLegend
        form="column"
        label="Deliveries by status"
        entries={[
          { key: 'failed', label: 'Failed', tone: 'failed', count: '316' },
          { key: 'retrying', label: 'Retrying', tone: 'retrying', count: '42' },
          { key: 'delivered', label: 'Delivered', tone: 'delivered', count: '11,902' },
        ]}
        onPick={onPick}
      />
      <TimeChart
        label="Deliveries"
        times={DAY}
        stepSeconds={QUARTER}
        series={ATTEMPTS}
        kind="bars"
        height={52}
        isSlim
        marks={MARKS}
        now={NOW}
        syncKey="gallery"
        onSpan={onSpan}
        onPick={onPick}
      />
    </div>
  );
}

function State({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <figure className="min-w-0 rounded-8 border border-line-strong px-4 pt-3.5 pb-4">
      <figcaption className="mb-3">
        <b>{title}</b> <span className="ml-1 text-12 text-text-3">{note}</span>
      </figcaption>
      {children}
    </figure>
  );
}
