import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Calls of one route with data that fits the document. */
export type Calls = {
  route: string;
  all: number;
  past: number;
  /** Calls whose credential had ended. */
  lost: number;
  statuses: Map<number, number>;
  /** Words of the refusals, with their numbers. */
  refusals: Map<string, number>;
};

type Recording = {
  value: { method: string; path: string; meta?: { generation: { mode: string } } };
  /** The case that this one was made of, by a check or as the next step. */
  parent_id?: string;
  transition?: unknown;
};

type Recorded = {
  ScenarioFinished?: {
    phase: string;
    status: string;
    recorder: {
      label: string;
      /** Absent where schemathesis has skipped the scenario. */
      cases?: Record<string, Recording>;
      interactions: Record<string, { response?: { status_code: number; content?: string | { $base64: string } } }>;
    };
  };
};

/** Refusals of a request for what it is. On public routes 401 and 403 come from the service behind the validation. */
const REFUSED = [400, 413, 415, 429];
const REFUSED_CALLER = [403];
/** The service to a key or a session that is no longer one. Any other 401 judges what was sent: a wrong code, say. */
const LOST = ['The API key is invalid or missing', 'The session has ended'];

/**
 * Reads the events of a run: calls by route, and for how many routes every value at a bound was tried. `isPublic` is asked by route (`POST
 * /v1/sign-in`).
 */
export async function readCalls(
  path: string,
  isPublic: (route: string) => boolean,
): Promise<{ calls: Calls[]; covered: number }> {
  let covered = 0;
  const found = new Map<string, Calls>();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    // `as`: the form in which schemathesis writes its events.
    const { ScenarioFinished: finished } = JSON.parse(line) as Recorded;
    if (finished?.phase === 'coverage' && finished.status !== 'skip') covered += 1;
    if (finished?.recorder.cases === undefined) continue;
    const { cases, interactions } = finished.recorder;
    for (const [id, { value, parent_id: parent, transition }] of Object.entries(cases)) {
      const { response } = interactions[id] ?? {};
      const status = response?.status_code;
      // Callers without a credential, or with a wrong one: a check of schemathesis makes them of good requests.
      const isStranger = status === 401 && parent !== undefined && transition === undefined;
      if (status === undefined || isStranger || (value.meta?.generation.mode ?? 'positive') !== 'positive') continue;
      const route = `${value.method.toUpperCase()} ${value.path}`;
      const calls = found.get(route) ?? noneOf(route);
      const isLost = status === 401 && LOST.some((words) => textOf(response).includes(words));
      // The last thing that a request for a token is asked for, which no made-up one has.
      const isWithoutProof = textOf(response).includes('invalid_dpop_proof');
      const isRefused =
        isLost ||
        (!isWithoutProof && (REFUSED.includes(status) || (!isPublic(route) && REFUSED_CALLER.includes(status))));
      calls.all += 1;
      calls.past += isRefused ? 0 : 1;
      calls.lost += isLost ? 1 : 0;
      calls.statuses.set(status, (calls.statuses.get(status) ?? 0) + 1);
      if (isRefused) {
        const words = MESSAGE.exec(textOf(response))?.[1] ?? textOf(response).slice(0, 100);
        calls.refusals.set(words, (calls.refusals.get(words) ?? 0) + 1);
      }
      found.set(route, calls);
    }
  }
  const calls = [...found.values()].toSorted((one, other) => (one.route < other.route ? -1 : 1));
  return { calls, covered };
}

export const noneOf = (route: string): Calls => ({
  route,
  all: 0,
  past: 0,
  lost: 0,
  statuses: new Map(),
  refusals: new Map(),
});

const MESSAGE = /"message":"((?:[^"\\]|\\.)*)"/;

const textOf = (response: { content?: string | { $base64: string } } | undefined): string => {
  const content = response?.content ?? '';
  return typeof content === 'string' ? content : Buffer.from(content.$base64, 'base64').toString();
};
