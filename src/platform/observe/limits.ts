import type { Allowance, Limiter } from '../rate-limits/limiter.ts';
import type { Meters } from './meters.ts';

/** The same limiter, with its decisions counted. */
export function observedLimiter(limiter: Limiter, meters: Meters | undefined): Limiter {
  if (meters === undefined) return limiter;
  const { isShared } = limiter;
  if (isShared !== undefined) meters.readLimits(isShared);
  const told = async (limit: string, decision: Promise<Allowance>): Promise<Allowance> => {
    const allowance = await decision;
    meters.limited(limit, allowance.refusal !== undefined);
    return allowance;
  };
  return {
    ...limiter,
    allow: (principalId, limits, bucket) => told('principal', limiter.allow(principalId, limits, bucket)),
    allowStranger: (address) => told('stranger', limiter.allowStranger(address)),
    allowThing: (limit, id, asker) => told(limit.name, limiter.allowThing(limit, id, asker)),
    allowAddress: (limit, address) => told('address', limiter.allowAddress(limit, address)),
  };
}
