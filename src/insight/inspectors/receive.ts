import type { Dependencies } from '../../platform/dependencies.ts';
import { UNPROVEN } from '../../platform/slices.ts';
import { notFound } from '../../kernel/errors.ts';
import { isId } from '../../kernel/values/ids.ts';
import { SENDER_HEADER } from '../../platform/outbound/sign.ts';
import { keptPath, keptValue } from './kept-headers.ts';
import { findSigners, insertRequest, loadInspector } from './receive-store.ts';
import { checkSignature } from './check-signature.ts';

/** Bytes of a body that are kept: as many as a payload may have. */
const KEPT_BYTES = 262_144;
const FAILURE = 500;
/** The status of an answer that cannot be held back. */
const UNAVAILABLE = 503;

/** A request as the edge hands it on. `path`: what follows the address of the inspector, with the query. */
type ArrivingRequest = {
  method: string;
  path: string;
  /** Name and value by turns, as they came (rawHeaders of Node). */
  rawHeaders: readonly string[];
  header(name: string): string | undefined;
  bytes: Buffer;
  /** Takes a place for an answer that is held back. A text says why there is none. */
  holdBack(organisationId: string): string | undefined;
};

/** `problem`: why the answer is not the one that the inspector forces. */
type GivenAnswer = { status: number; delayMs: number; problem?: string };

export type ReceiveInspected = (id: string, request: ArrivingRequest) => Promise<GivenAnswer>;

/**
 * Keeps a request that arrived, with the status of its signature, and says how it is answered. NOT_FOUND for an unknown inspector.
 * Nothing is published or delivered because of it, so that no chain begins here.
 */
export function createReceiveInspected(
  { pool, clock, newId, keyRing, costly }: Pick<Dependencies, 'pool' | 'clock' | 'newId' | 'keyRing' | 'costly'>,
  { urlOf }: { urlOf: (id: string) => string },
): ReceiveInspected {
  return async (id, { method, path, rawHeaders, header, bytes, holdBack }) => {
    const inspector = isId('inspector', id) ? await loadInspector(pool, id) : undefined;
    if (inspector === undefined) throw notFound('inspector');
    const { environmentId, organisationId, answer } = inspector;
    const now = clock();
    const signature = await checkSignature(
      { header, body: bytes, now },
      {
        keyRing,
        findSigners: (messageId) => findSigners(pool, { messageId, environmentId, url: urlOf(id) }),
        inSteps: (step) => costly.run(UNPROVEN, step, { part: id, bytes: bytes.length }),
      },
    );
    const isFailure = Math.random() * 100 < answer.failurePercent;
    // Asked before the request is kept: its row tells the answer that is really given.
    const problem = answer.delayMs > 0 ? holdBack(organisationId) : undefined;
    const given =
      problem === undefined
        ? { status: isFailure ? FAILURE : answer.status, delayMs: answer.delayMs }
        : { status: UNAVAILABLE, delayMs: 0 };
    // The check takes some milliseconds. Id and time are of one moment, so that a list by ids is one by times.
    const arrivedAt = clock();
    await insertRequest(pool, {
      id: newId('inspectedRequest'),
      inspectorId: id,
      method,
      path: keptPath(path),
      headers: pairsOf(rawHeaders),
      body: bytes.subarray(0, KEPT_BYTES),
      bytes: bytes.length,
      answer: given,
      signature,
      arrivedAt,
    });
    return { ...given, ...(problem !== undefined && { problem }) };
  };
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // A receiver elsewhere gets none.
    if (name.toLowerCase() === SENDER_HEADER) continue;
    pairs.push([name, keptValue(name, rawHeaders[index + 1] ?? '')]);
  }
  return pairs;
}
