import type { ReactNode } from 'react';
import type { Stats } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { Chart } from './chart.tsx';
import type { Series } from './chart-given.ts';
import { useMarks } from './use-marks.ts';

type AnswerClass = keyof Stats['points'][number]['answers'];

const LOOKS: readonly (readonly [AnswerClass, Series['look']])[] = [
  ['status2xx', 'delivered'],
  ['status3xx', 'pending'],
  ['status4xx', 'retrying'],
  ['status5xx', 'failed'],
  ['none', 'held'],
];

type Given = {
  of: Stats;
  /** The class that a filter leaves; absent: all. */
  only?: string | undefined;
  isSlim?: boolean;
  /** Takes the time of the steps that somebody has chosen. */
  onSpan: (span: { since: string; until: string }) => void;
  below?: ReactNode;
};

/** How tries ended in each step, by the class of the answer: a receiver that begins to answer 503 changes its colour. */
export function AnswersOverTime({ of: { points, stepSeconds, since, until }, only, onSpan, ...more }: Given) {
  const t = useTexts();
  const marks = useMarks({ since, until });
  const times = points.map(({ at }) => at);
  const series = LOOKS.map(([each, look]) => ({
    name: each === 'none' ? t.figures.noAnswer : each.slice('status'.length),
    look,
    isWanted: only === undefined || each === `status${only}`,
    values: points.map(({ answers }) => answers[each]),
  })).filter(({ isWanted, look, values }) => isWanted && (look === 'delivered' || values.some((value) => value > 0)));
  return (
    <Chart
      title={t.figures.overTime}
      times={times}
      stepSeconds={stepSeconds}
      series={series}
      marks={marks}
      kind="bars"
      format={(value) => value.toLocaleString(t.figures.locale)}
      onSpan={onSpan}
      {...more}
    />
  );
}
