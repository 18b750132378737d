import type { Stats } from '../api/client.ts';
import type { ChartSeries } from '../ui/chart/series.ts';

type Deliveries = Stats['deliveries'];

/** The outcome of the deliveries of a time span, and how many are still being retried. */
export type Delivered = { delivered: number; finished: number; retrying: number };

/** Counts the deliveries created in the span by their present status, so a delivery that was retried counts once. */
export const deliveredOf = ({ delivered, failed, retrying }: Deliveries): Delivered => ({
  delivered,
  finished: delivered + failed,
  retrying,
});

/**
 * Returns the deliveries of each time step by their present status, or undefined if the service has not counted all of
 * them.
 */
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
  // Leave out statuses with no deliveries, except for the two that everybody looks for.
  return all.filter(
    ({ key, values }) =>
      key === 'delivered' || key === 'failed' || values.some((value) => value !== undefined && value > 0),
  );
}
