import {
  answerOf,
  classOfAnswer,
  COUNTED_CODES,
  INBOUND_CODES,
  isDelivered,
  quantileMs,
  RUN_CODES,
} from '../../kernel/words/outcomes.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import type { CountedDeliveries, DeliveryCounts } from './deliveries-store.ts';
import type { RunStats, Stats } from './schema.ts';
import type { Span } from './span.ts';
import type { Counted } from './store.ts';

// `as`: the keys of the table.
const RUN_KINDS = Object.keys(RUN_CODES) as (keyof typeof RUN_CODES)[];

type Figures = Stats['totals'];
type Answers = Stats['answers'];
type Point = Stats['points'][number];
type StepDeliveries = NonNullable<Point['deliveries']>;

/** Codes of responses and failures are positive. Codes of runs are negative and stored under the id of a workflow. */
const isOfAttempt = (code: number): boolean => code > 0;
const isAttempt = ({ code }: Counted): boolean => isOfAttempt(code);

/**
 * Numbers that not every owner has: a subscription does not publish, and a channel's dead letters include those of
 * runs.
 */
type Parts = { hasAccepted: boolean; hasGivenUp?: boolean };

/** Adds up counts. */
class Sum {
  private accepted = 0;
  private delivered = 0;
  private failedAttempts = 0;
  private deadLetters = 0;
  private failedRuns = 0;
  private readonly latencies = new Map<number, number>();

  add({ code, latencyClass, count }: Counted): void {
    if (code === COUNTED_CODES.accepted) this.accepted += count;
    else if (code === COUNTED_CODES.deadLetter) this.deadLetters += count;
    else if (code === RUN_CODES.failed) this.failedRuns += count;
    else if (isOfAttempt(code)) {
      if (isDelivered(code)) this.delivered += count;
      else this.failedAttempts += count;
      this.latencies.set(latencyClass, (this.latencies.get(latencyClass) ?? 0) + count);
    }
  }

  figures({ hasAccepted, hasGivenUp = true }: Parts): Figures {
    const { accepted, delivered, failedAttempts, deadLetters } = this;
    // Each failed run has a dead letter, but workers of an older release only counted the dead letters.
    const givenUp = Math.max(0, deadLetters - this.failedRuns);
    const [p50, p95] = [quantileMs(this.latencies, 0.5), quantileMs(this.latencies, 0.95)];
    return {
      ...(hasAccepted && { accepted }),
      delivered,
      failedAttempts,
      deadLetters,
      ...(hasGivenUp && { givenUp }),
      ...(p50 !== undefined && p95 !== undefined && { latencyMs: { p50, p95 } }),
    };
  }
}

/** Returns the totals of the whole span and of each step. */
export function figuresOf(
  counted: readonly Counted[],
  { since, until, stepMs }: Span,
  parts: Parts,
): { totals: Figures; points: (Figures & { at: Date })[] } {
  const total = new Sum();
  const steps = new Map<number, Sum>();
  for (let at = since.getTime(); at < until.getTime(); at += stepMs) steps.set(at, new Sum());
  for (const each of counted) {
    total.add(each);
    steps.get(each.at.getTime())?.add(each);
  }
  return {
    totals: total.figures(parts),
    points: [...steps].map(([at, sum]) => ({ at: new Date(at), ...sum.figures(parts) })),
  };
}

/** Returns the number of published messages, in total and per step. */
export function acceptedOf(
  counted: readonly Counted[],
  { since, until, stepMs }: Span,
): { accepted: number; counts: number[] } {
  const counts = Array.from({ length: (until.getTime() - since.getTime()) / stepMs }, () => 0);
  let accepted = 0;
  for (const { at, code, count } of counted) {
    if (code !== COUNTED_CODES.accepted) continue;
    accepted += count;
    const step = (at.getTime() - since.getTime()) / stepMs;
    counts[step] = (counts[step] ?? 0) + count;
  }
  return { accepted, counts };
}

/** Adds response classes to the points, so that the chart shows how a receiver began to fail. */
export function withAnswers(
  points: readonly (Figures & { at: Date })[],
  counted: readonly Counted[],
): Omit<Point, 'deliveries'>[] {
  const steps = new Map<number, Omit<Point, 'deliveries'>>();
  for (const point of points)
    steps.set(point.at.getTime(), {
      ...point,
      answers: { status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0, none: 0 },
    });
  for (const each of counted.filter(isAttempt)) {
    const point = steps.get(each.at.getTime());
    if (point !== undefined) point.answers[classOfAnswer(each.code)] += each.count;
  }
  return [...steps.values()];
}

const NO_DELIVERIES = { delivered: 0, failed: 0, retrying: 0, pending: 0 };

/** Returns deliveries by current state, and whether all of the span were counted. */
export function deliveriesOf({ counted, isExact }: DeliveryCounts): Stats['deliveries'] {
  const byState = { ...NO_DELIVERIES };
  for (const { status, count } of counted) byState[status] += count;
  const created = counted.reduce((sum, { count }) => sum + count, 0);
  const countedSince = isExact ? undefined : oldestOf(counted);
  return { created, ...byState, isExact, ...(countedSince !== undefined && { countedSince }) };
}

function oldestOf(counted: readonly CountedDeliveries[]): Date | undefined {
  const ids = counted.map(({ oldestId }) => oldestId);
  return timeOfId(
    'delivery',
    ids.reduce((one, other) => (one < other ? one : other), ids[0] ?? ''),
  );
}

/** Adds the deliveries created in each step to its point. Omitted for steps that were not counted completely. */
export function withDeliveries(
  points: readonly Omit<Point, 'deliveries'>[],
  { counted, isExact, hasSteps }: DeliveryCounts,
): Point[] {
  if (!hasSteps) return [...points];
  const cut = isExact ? undefined : oldestOf(counted);
  const steps = points.map(({ at }): StepDeliveries | undefined =>
    cut !== undefined && at <= cut ? undefined : { ...NO_DELIVERIES },
  );
  for (const { step, status, count } of counted) {
    const deliveries = steps[step];
    if (deliveries !== undefined) deliveries[status] += count;
  }
  return points.map((point, step) => {
    const deliveries = steps[step];
    return { ...point, ...(deliveries !== undefined && { deliveries }) };
  });
}

/** Returns attempts by response, most frequent first. */
export function answersOf(counted: readonly Counted[]): Answers {
  const counts = new Map<number, number>();
  for (const { code, count } of counted.filter(isAttempt)) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts]
    .sort(([one, many], [other, more]) => more - many || one - other)
    .map(([code, count]) => ({ ...answerOf(code), count }));
}

/** Returns the numbers of started and finished runs, in total and per step. */
export function runFiguresOf(
  counted: readonly Counted[],
  { since, until, stepMs }: Span,
): Pick<RunStats, 'totals' | 'points'> {
  const none = { started: 0, completed: 0, failed: 0, cancelled: 0, skipped: 0 };
  const totals = { ...none };
  const steps = new Map<number, RunStats['points'][number]>();
  for (let at = since.getTime(); at < until.getTime(); at += stepMs) steps.set(at, { at: new Date(at), ...none });
  for (const { at, code, count } of counted) {
    const found = RUN_KINDS.find((kind) => RUN_CODES[kind] === code);
    const step = steps.get(at.getTime());
    if (found === undefined || step === undefined) continue;
    totals[found] += count;
    step[found] += count;
  }
  return { totals, points: [...steps.values()] };
}

/** Returns the number of requests to an inbound webhook in the whole span, by outcome. */
export function requestFiguresOf(counted: readonly Counted[]): Record<keyof typeof INBOUND_CODES, number> {
  const of = (wanted: number): number =>
    counted.reduce((sum, { code, count }) => (code === wanted ? sum + count : sum), 0);
  const { received, repeated, refused } = INBOUND_CODES;
  return { received: of(received), repeated: of(repeated), refused: of(refused) };
}
