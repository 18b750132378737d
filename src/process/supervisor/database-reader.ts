import type { MetricValues } from '../../platform/observe/metrics-server.ts';

/**
 * The process that is asked for the figures of PostgreSQL. Each process keeps its own reading of them for ten seconds, so turns between
 * processes would show figures that go back. One stays the reader while it has joined and has answered the last scrape.
 */
export function createDatabaseReader<P>() {
  let current: P | undefined;
  let hasAnswered = true;
  let figures: MetricValues | undefined;
  return {
    /** The process to ask in this scrape: after one that hangs or has died, the next one in their order. */
    choose(joined: readonly P[]): P | undefined {
      const place = current === undefined ? -1 : joined.indexOf(current);
      if (place >= 0 && hasAnswered) return current;
      current = joined[(place + 1) % joined.length];
      hasAnswered = true;
      return current;
    },
    /** The figures that one has told in a scrape, or none. A late word of an earlier reader changes nothing. */
    hear(process: P, told: MetricValues | undefined): void {
      if (process !== current) return;
      hasAnswered = told !== undefined;
      figures = told ?? figures;
    },
    /** The last that the reader of its time has told. */
    figures: (): MetricValues | undefined => figures,
  };
}
