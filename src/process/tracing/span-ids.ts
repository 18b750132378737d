import { hash } from 'node:crypto';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Ids of spans: random, but for the next one after `use`. */
export type SpanIds = IdGenerator & { use(spanId: string): void };

export function createSpanIds(): SpanIds {
  const random = new RandomIdGenerator();
  let next: string | undefined;
  return {
    generateTraceId: () => random.generateTraceId(),
    generateSpanId() {
      const id = next ?? random.generateSpanId();
      next = undefined;
      return id;
    },
    use(spanId) {
      next = spanId;
    },
  };
}

/**
 * Id of the span of a delivery's round. The id follows from their names, so that every process knows the parent of an attempt, and the one
 * that ends the round can make that span: nothing is stored or handed on for it.
 */
export const deliverySpanId = (deliveryId: string, round: number): string =>
  hash('sha256', `${deliveryId}/${round}`, 'hex').slice(0, 16);
