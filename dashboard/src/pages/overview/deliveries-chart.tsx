import { useState } from 'react';
import type { Stats } from '../../api/client.ts';
import { deliverySeries } from '../../lib/delivered.ts';
import { countText, durationText, shareText } from '../../lib/format.ts';
import { useAddress } from '../../lib/search.ts';
import { ERROR_CODES } from '../../lib/words.ts';
import { useGo } from '../../parts/link.tsx';
import { useZone } from '../../parts/moment.tsx';
import { useMarkers } from '../../parts/use-markers.ts';
import { CodeBadge } from '../../ui/badge.tsx';
import { BarList } from '../../ui/chart/bar-list.tsx';
import { ChartLegend } from '../../ui/chart/chart-legend.tsx';
import { ChartTable, TableToggle } from '../../ui/chart/chart-table.tsx';
import type { ChartSeries } from '../../ui/chart/series.ts';
import { TimeChart } from '../../ui/chart/time-chart.tsx';
import { Section } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type FiguresQuery, useRows } from './use-figures.ts';

type Given = {
  of: Pick<FiguresQuery, 'data'>;
  channelId?: string | undefined;
  /** Limits the chart to one subscription. */
  subscriptionId?: string;
};

const VIEWS = [
  { value: 'status', label: 'By status' },
  { value: 'response', label: 'By response' },
  { value: 'latency', label: 'Latency' },
] as const;
type View = (typeof VIEWS)[number]['value'];
const HEIGHT = 148;

/** The deliveries of the time range: their status, the responses to their attempts, or how long those took. */
export function DeliveriesChart({ of: query, channelId, subscriptionId }: Given) {
  const go = useGo();
  const zone = useZone();
  const rows = useRows(channelId, subscriptionId);
  const [{ since, until }, change] = useAddress();
  const [view, setView] = useState<View>('status');
  const [isTable, setIsTable] = useState(false);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const now = query.data?.now;
  const marks = useMarkers({ since: now?.since, until: now?.until, isWanted: now !== undefined });
  const series = now === undefined ? [] : seriesOf(now, view);
  const isOfDeliveries = view === 'status' && now !== undefined && deliverySeries(now.points) !== undefined;
  const title = isOfDeliveries ? 'Deliveries' : view === 'latency' ? 'Response time' : 'Delivery attempts';
  const data = {
    label: title,
    times: now?.points.map(({ at }) => at) ?? [],
    stepSeconds: now?.stepSeconds ?? 60,
    series,
    kind: view === 'latency' ? ('lines' as const) : ('bars' as const),
    zone,
    height: HEIGHT,
    noun: isOfDeliveries ? 'deliveries' : view === 'latency' ? 'responses' : 'attempts',
    ...(view === 'latency' && { format: durationText }),
  };
  const onPick = (since: string, until: string): void => go('/deliveries', { ...rows, since, until });
  return (
    <Section
      title={
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          {title}
          <span className="font-normal max-md:hidden">
            <ChartLegend
              entries={series.map(({ key, label, tone }) => ({ key, label, tone }))}
              kind={data.kind}
              hidden={hidden}
              onToggle={(key) =>
                setHidden(hidden.includes(key) ? hidden.filter((each) => each !== key) : [...hidden, key])
              }
            />
          </span>
        </span>
      }
      end={
        <>
          <Select
            label="Chart"
            look="quiet"
            options={VIEWS}
            value={view}
            // `as`: the options have no other values.
            onChange={(next) => setView(next as View)}
          />
          <TableToggle isTable={isTable} onChange={setIsTable} />
        </>
      }
    >
      {isTable ? (
        <ChartTable {...data} onPick={onPick} />
      ) : (
        <TimeChart
          {...data}
          hidden={hidden}
          isLoading={now === undefined}
          marks={marks.map(({ at, name }) => ({ at, label: name }))}
          isZoomable
          onPick={onPick}
          onSpan={onPick}
          onLastHour={since !== '1h' && until === undefined ? () => change({ since: '1h' }) : undefined}
        />
      )}
    </Section>
  );
}

function seriesOf({ points }: Stats, view: View): ChartSeries[] {
  if (view === 'latency')
    return [
      { key: 'p95', label: 'p95', tone: 'accent', values: points.map(({ latencyMs }) => latencyMs?.p95) },
      { key: 'p50', label: 'p50', tone: 'quiet', values: points.map(({ latencyMs }) => latencyMs?.p50) },
    ];
  if (view === 'response') {
    const all: ChartSeries[] = [
      { key: '2xx', label: '2xx', tone: 'delivered', values: points.map(({ answers }) => answers.status2xx) },
      { key: '3xx', label: '3xx', tone: 'pending', values: points.map(({ answers }) => answers.status3xx) },
      { key: '4xx', label: '4xx', tone: 'retrying', values: points.map(({ answers }) => answers.status4xx) },
      { key: '5xx', label: '5xx', tone: 'failed', values: points.map(({ answers }) => answers.status5xx) },
      { key: 'none', label: 'No response', tone: 'held', values: points.map(({ answers }) => answers.none) },
    ];
    return all.filter(({ key, values }) => key === '2xx' || values.some((value) => (value ?? 0) > 0));
  }
  return (
    deliverySeries(points) ?? [
      { key: 'delivered', label: 'Delivered', tone: 'delivered', values: points.map(({ delivered }) => delivered) },
      { key: 'failed', label: 'Failed', tone: 'failed', values: points.map(({ failedAttempts }) => failedAttempts) },
    ]
  );
}

const keyOf = (answer: Stats['answers'][number]): string =>
  'status' in answer ? String(answer.status) : answer.errorClass;

const isSuccess = (answer: Stats['answers'][number]): boolean => 'status' in answer && answer.status < 300;

const SHOWN_RESPONSES = 6;

/** The responses of endpoints in the time range, the most frequent first. Each links to its deliveries. */
export function Responses({ of: query, channelId, subscriptionId }: Given) {
  const go = useGo();
  const rows = useRows(channelId, subscriptionId);
  const answers = query.data?.now.answers;
  if (answers === undefined) return <Skeleton />;
  const total = answers.reduce((sum, { count }) => sum + count, 0);
  const good = answers.reduce((sum, answer) => sum + (isSuccess(answer) ? answer.count : 0), 0);
  const before = query.data?.earlier.answers ?? [];
  const keysBefore = new Set(before.map(keyOf));
  return (
    <Section
      title="Responses"
      end={
        <span className="text-12 text-text-2">
          {countText(total)} {total === 1 ? 'attempt' : 'attempts'}
          {total > 0 && `, ${shareText(good, total)} succeeded`}
        </span>
      }
    >
      {answers.length === 0 ? (
        <p className="text-text-2">No attempts in this range</p>
      ) : (
        <BarList
          label="Responses"
          total={total}
          rows={answers.slice(0, SHOWN_RESPONSES).map((answer) => {
            const isGood = isSuccess(answer);
            const isWarning = 'status' in answer && answer.status >= 400 && answer.status < 500;
            return {
              key: keyOf(answer),
              name: (
                <>
                  {'status' in answer ? (
                    <CodeBadge code={answer.status} />
                  ) : (
                    <CodeBadge>{ERROR_CODES[answer.errorClass]}</CodeBadge>
                  )}
                  {!isGood && before.length > 0 && !keysBefore.has(keyOf(answer)) && (
                    <span className="ml-1.5 text-11 font-medium text-failed" title="Not in the previous period">
                      new
                    </span>
                  )}
                </>
              ),
              count: answer.count,
              tone: isGood ? ('delivered' as const) : isWarning ? ('retrying' as const) : ('failed' as const),
            };
          })}
          onPick={(key) => go('/deliveries', { ...rows, ...(/^\d/.test(key) ? { answer: key } : { error: key }) })}
        />
      )}
    </Section>
  );
}
