import type { Dependencies } from '../dependencies.ts';
import { notFound } from '../kernel/errors/api-error.ts';
import { isId } from '../kernel/values/ids.ts';
import { keptValue } from './kept-headers.ts';
import { findSigners, insertRequest, loadInspector } from './receive-store.ts';
import { verdictOn } from './verdict.ts';

/** Bytes of a body that are kept: as many as a payload may have. */
const KEPT_BYTES = 262_144;
const FAILURE = 500;

/** A request as the edge hands it on. `path`: what follows the address of the inspector, with the query. */
type ArrivingRequest = {
  method: string;
  path: string;
  /** Name and value by turns, as they came (rawHeaders of Node). */
  rawHeaders: readonly string[];
  header(name: string): string | undefined;
  bytes: Buffer;
};

export type ReceiveInspected = (id: string, request: ArrivingRequest) => Promise<{ status: number; delayMs: number }>;

/**
 * Keeps a request that arrived, with the verdict on its signature, and says how it is answered. NOT_FOUND for an unknown inspector.
 * Nothing is published or delivered because of it, so that no chain begins here.
 */
export function createReceiveInspected(
  { pool, clock, newId, keyRing }: Pick<Dependencies, 'pool' | 'clock' | 'newId' | 'keyRing'>,
  { urlOf }: { urlOf: (id: string) => string },
): ReceiveInspected {
  return async (id, { method, path, rawHeaders, header, bytes }) => {
    const inspector = isId('inspector', id) ? await loadInspector(pool, id) : undefined;
    if (inspector === undefined) throw notFound('inspector');
    const { environmentId, answer } = inspector;
    const now = clock();
    const signature = await verdictOn(
      { header, body: bytes, now },
      { keyRing, findSigners: (messageId) => findSigners(pool, { messageId, environmentId, url: urlOf(id) }) },
    );
    const isFailure = Math.random() * 100 < answer.failurePercent;
    const given = { status: isFailure ? FAILURE : answer.status, delayMs: answer.delayMs };
    // The verdict takes some milliseconds. Id and time are of one moment, so that a list by ids is one by times.
    const arrivedAt = clock();
    await insertRequest(pool, {
      id: newId('inspectedRequest'),
      inspectorId: id,
      method,
      path,
      headers: pairsOf(rawHeaders),
      body: bytes.subarray(0, KEPT_BYTES),
      bytes: bytes.length,
      answer: given,
      signature,
      arrivedAt,
    });
    return given;
  };
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    pairs.push([name, keptValue(name, rawHeaders[index + 1] ?? '')]);
  }
  return pairs;
}
