import type { OwnEndpoint } from '../../platform/outbound/guard/own-addresses.ts';
import type { Counters } from '../../platform/rate-limits/counters.ts';
import type { ProcessState } from '../../platform/readiness/readiness.ts';

/** A service process's view of the others behind the same port, by way of their supervisor. */
export type Siblings = {
  /** This process stands in the place of one that has died. */
  isReplacement: boolean;
  /** One count for all of them. Absent: this process counts for itself. */
  counters?: Counters;
  /** All of them, this one included; empty where nothing is supervised. */
  table(): readonly ProcessState[];
  /** Makes the others forget a key that was changed here; resolves when they have. */
  forgetKey(id: string): Promise<void>;
  /** Called with each key that another one has changed. */
  onKeyChanged(listener: (id: string) => void): void;
  /** Tells the id under which this process claims, for the day on which it dies. */
  claimsAs(incarnationId: string): void;
  /** Called with the incarnation of each one that dies. */
  onDeath(listener: (incarnationId: string) => void): void;
  /** Called with addresses at which the embedded servers listen since they were started again. */
  onOwnEndpoints(listener: (endpoints: readonly OwnEndpoint[]) => void): void;
  /** This process takes requests, at `port` where it has an API, or deliveries. */
  isReady(port?: number): void;
};

const nothing = (): void => undefined;

/** A process without a supervisor has none. */
export const noSiblings: Siblings = {
  isReplacement: false,
  table: () => [],
  forgetKey: async () => undefined,
  onKeyChanged: nothing,
  claimsAs: nothing,
  onDeath: nothing,
  onOwnEndpoints: nothing,
  isReady: nothing,
};
