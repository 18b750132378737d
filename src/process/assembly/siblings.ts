import type { OwnEndpoint } from '../../platform/outbound/guard/own-addresses.ts';
import type { Counters } from '../../platform/rate-limits/counters.ts';
import type { ProcessState } from '../../platform/readiness/readiness.ts';

/** The other processes behind the same port, as a service process sees them through their supervisor. */
export type Siblings = {
  /** Whether this process replaces one that has died. */
  isReplacement: boolean;
  /** One set of rate-limit counters for all processes. If absent, this process counts by itself. */
  counters?: Counters;
  /** All processes including this one; empty without a supervisor. */
  table(): readonly ProcessState[];
  /** Makes the others drop a changed key from their caches; resolves when they have done so. */
  forgetKey(id: string): Promise<void>;
  /** Called with each key that another process has changed. */
  onKeyChanged(listener: (id: string) => void): void;
  /** Reports the id under which this process claims, so that its claims can be released if it dies. */
  claimsAs(incarnationId: string): void;
  /** Called with the worker id of each process that dies. */
  onDeath(listener: (incarnationId: string) => void): void;
  /** Called with the addresses of embedded servers that were restarted. */
  onOwnEndpoints(listener: (endpoints: readonly OwnEndpoint[]) => void): void;
  /** Reports that this process accepts requests (at `port`, if it has an API) or deliveries. */
  isReady(port?: number): void;
};

const nothing = (): void => undefined;

/** For a process without a supervisor. */
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
