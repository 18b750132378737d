import type { Holder } from '../../../src/messaging/publishing/hand-over.ts';

/** A process that claims up to `atMost` of its new deliveries, for tests that store publications themselves. */
export const holderOf = (incarnationId: string, atMost = 1_000): Holder => ({
  incarnationId,
  atMost,
  during: (publish) => publish(),
});
