import type { Stats } from '../api/client.ts';
import type { ChartSeries } from '../ui/chart/series.ts';

type Deliveries = Stats['deliveries'];

/** How the deliveries of a span have ended, and how many are still being retried. */
export type Delivered = { delivered: number; finished: number; retrying: number };

/** By the present status of the deliveries that were created in the span: one that was retried counts once. */
export const deliveredOf = ({ delivered, failed, retrying }: Deliveries): Delivered => ({
  delivered,
  finished: delivered + failed,
  retrying,
});

/** The deliveries of each step by their present status; undefined where the service has not counted all of them. */
export function deliverySeries(points: Stats['points']): ChartSeries[] | undefined {
  const steps = points.map(({ deliveries }) => deliveries);
  if (steps.some((step) => step === undefined)) return undefined;
  const valuesOf = (status: 'delivered' | 'failed' | 'retrying' | 'pending'): number[] =>
    steps.map((step) => step?.[status] ?? 0);
  const all: ChartSeries[] = [
    { key: 'failed', label: 'Failed', tone: 'failed', values: valuesOf('failed') },
    { key: 'retrying', label: 'Retrying', tone: 'retrying', values: valuesOf('retrying') },
    { key: 'pending', label: 'Pending', tone: 'pending', values: valuesOf('pending') },
    { key: 'delivered', label: 'Delivered', tone: 'delivered', values: valuesOf('delivered') },
  ];
  // What there is none of is not named, but for the two that everybody looks for.
  return all.filter(
    ({ key, values }) =>
      key === 'delivered' || key === 'failed' || values.some((value) => value !== undefined && value > 0),
  );
}
