import type { CircuitChange } from '../../../src/delivery/limits/circuit-store.ts';

/** The circuits as PostgreSQL keeps them, in memory: any number of processes share one. */
export function sharedCircuits(now: () => number) {
  const probes = new Map<string, number>();
  const said: string[] = [];
  const answer = (id: string, isChanged: boolean): Promise<CircuitChange> => {
    const probeAt = probes.get(id);
    return Promise.resolve({ isChanged, probeInMs: probeAt === undefined ? null : probeAt - now() });
  };
  return {
    said,
    probeInMs: (id: string): number | null => {
      const probeAt = probes.get(id);
      return probeAt === undefined ? null : probeAt - now();
    },
    circuits: {
      open: (id: string) => {
        const isChanged = !probes.has(id);
        if (isChanged) said.push(`${id} opened`);
        if (isChanged) probes.set(id, now() + 30_000);
        return answer(id, isChanged);
      },
      takeProbe: (id: string, leaseMs: number) => {
        const isChanged = (probes.get(id) ?? Number.POSITIVE_INFINITY) <= now();
        if (isChanged) probes.set(id, now() + leaseMs);
        return answer(id, isChanged);
      },
      reopen: (id: string) => {
        if (probes.has(id)) probes.set(id, now() + 30_000);
        return answer(id, probes.has(id));
      },
      close: (id: string) => {
        const isChanged = probes.delete(id);
        if (isChanged) said.push(`${id} closed`);
        return answer(id, isChanged);
      },
    },
  };
}
