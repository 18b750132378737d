import type { Pool as Connections } from 'undici';
import { nowMs } from './clock.ts';
import { readUsage } from './processes.ts';
import type { Rig } from './rig.ts';
import type { Service } from './service.ts';

/** CPU ms of one request, in the service and in PostgreSQL, and requests in a second with 16 at once. */
export type Cost = { serviceMs: number; postgresMs: number; perSecond: number };

export type Ask = { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string };

export const CONNECTIONS = 16;

/** The answer's JSON. Throws for a refusal: it would cost less than what is measured. */
export async function call<T>(connections: Connections, ask: Ask): Promise<T> {
  const { statusCode, body } = await connections.request(ask);
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${ask.method} ${ask.path} answered ${statusCode} ${text}`);
  // `as`: the caller says what this endpoint answers.
  return JSON.parse(text) as T;
}

/** Asks all of them, 16 at a time, and gives what one of them has cost. */
export async function measureCalls(
  rig: Rig,
  service: Service,
  connections: Connections,
  asked: readonly Ask[],
): Promise<Cost> {
  const roots = { service: service.pid, postgres: rig.postgres.pid };
  const before = readUsage(roots);
  const startedAt = nowMs();
  const rest = asked.values();
  const work = async (): Promise<void> => {
    for (const each of rest) await call(connections, each);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const tookMs = nowMs() - startedAt;
  const after = readUsage(roots);
  return {
    serviceMs: (after.service.cpuMs - before.service.cpuMs) / asked.length,
    postgresMs: (after.postgres.cpuMs - before.postgres.cpuMs) / asked.length,
    perSecond: (asked.length * 1_000) / tookMs,
  };
}
