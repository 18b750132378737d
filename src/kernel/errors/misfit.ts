import type { ErrorDetails } from './api-error.ts';

/**
 * A body that its route's schema refuses, as it came, with everything that the schema says against it: unknown fields first. Services
 * that get one look for further faults before they refuse it.
 */
export class BodyMisfit {
  readonly body: unknown;
  readonly faults: readonly [ErrorDetails, ...ErrorDetails[]];

  constructor(body: unknown, faults: BodyMisfit['faults']) {
    this.body = body;
    this.faults = faults;
  }

  /** The fields of the body that have no fault. */
  rest(): Record<string, unknown> {
    const { body } = this;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
    const isFaulty = new Set(this.faults.map(topOf));
    return Object.fromEntries(Object.entries(body).filter(([field]) => !isFaulty.has(field)));
  }
}

/** The field of a body that a problem is in: `steps` of `steps[0].config.url`. */
export const topOf = ({ field }: ErrorDetails): string => field.replace(/[.[].*$/s, '');
