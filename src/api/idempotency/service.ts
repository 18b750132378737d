import { randomUUID } from 'node:crypto';
import type { SealContext } from '../../platform/db/sql/sealed-columns.ts';
import { type KeptAnswer, type KeyedRequest, KeyTakenError } from './kept-answers.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { ApiError } from '../../kernel/errors.ts';
import * as store from './store.ts';

// Publishing and creating take milliseconds, so a request that arrives while the first one is running waits for its response.
const WAIT_MS = 5_000;
// Other processes do not report when they are done, so their row is polled, less and less often.
const FIRST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 250;
// A third of the lease, so that two renewals may fail.
const RENEW_EVERY_MS = 10_000;
const RETRY_AFTER_SECONDS = 1;

type IdempotentWork = {
  /** A successful publish is stored in its own transaction; `run` throws KeyTakenError if another process was first. */
  isPublish: boolean;
  /** Returns the response to be stored; throws if there is none. Called at most once. */
  run: () => Promise<KeptAnswer>;
};

type OnceAnswer = { answer: KeptAnswer; isReplayed: boolean };

export type Idempotency = {
  /**
   * Runs the work of a request unless its key already has a response, which is returned instead. Throws CONFLICT for another body with
   * the same key, and CONFLICT with Retry-After if the first request runs for longer than 5 s. If `run` throws, the error is passed on
   * and the key is free again.
   */
  once(request: KeyedRequest, work: IdempotentWork): Promise<OnceAnswer>;
};

type Known = { requestHash: Buffer; answer: KeptAnswer };

/** Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07 §2). */
export function createIdempotency({ pool, keyRing, log }: Pick<Dependencies, 'pool' | 'keyRing' | 'log'>): Idempotency {
  /** What runs in this process, by key. Resolves to the response if there is one, and never rejects. */
  const running = new Map<string, Promise<Known | undefined>>();
  const findKey = store.createFindKey(pool);
  const warn = (err: unknown): void =>
    log.warn(
      { err },
      'could not store the response for an Idempotency-Key; a repeated request may be carried out again',
    );

  /** The request was carried out, so repeating it is not our decision. */
  const open = (sealedBody: string, id: Buffer): string => {
    try {
      return keyRing.decrypt(sealedBody, sealContext(id));
    } catch (cause) {
      throw new ApiError(
        'CONFLICT',
        'The request with this Idempotency-Key was carried out, but its stored response can no longer be decrypted. To send a new request, use a new key',
        { cause },
      );
    }
  };

  /** Returns the response stored under the key, or undefined if it is free; waits for another process that is still working on it. */
  const look = async (request: KeyedRequest, deadline: number): Promise<KeptAnswer | undefined> => {
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, LONGEST_LOOK_MS)) {
      const row = await findKey(request.id);
      if (row === undefined || row.isAbandoned) return undefined;
      refuseOther(request, row.requestHash);
      const { status, headers, body, sealedBody } = row;
      if (status !== null) {
        const opened = sealedBody === null ? body : open(sealedBody, request.id);
        return { status, headers: headers ?? {}, body: opened };
      }
      if (performance.now() >= deadline) throw stillRunning();
      await sleep(pause);
    }
  };

  const publish = async (request: KeyedRequest, { run }: IdempotentWork, deadline: number): Promise<OnceAnswer> => {
    try {
      return { answer: await run(), isReplayed: false };
    } catch (failure) {
      if (!(failure instanceof KeyTakenError)) throw failure;
      const answer = await look(request, deadline);
      if (answer === undefined) throw stillRunning();
      return { answer, isReplayed: true };
    }
  };

  const runUnderLease = async ({ id }: KeyedRequest, owner: string, { run }: IdempotentWork): Promise<OnceAnswer> => {
    const renewing = setInterval(() => void store.renewKey(pool, id, owner).catch(warn), RENEW_EVERY_MS);
    const end = (): void => clearInterval(renewing);
    /** Stores the outcome of the request before its caller gets it, or else as soon as PostgreSQL is available again. */
    const note = async (write: () => Promise<void>): Promise<void> => {
      const { written } = await store.writeNowOrLater(write, warn);
      void written.finally(end);
    };
    try {
      const answer = await run();
      const body = answer.body === null ? null : keyRing.encrypt(answer.body, sealContext(id));
      // The request has been carried out, so the caller is told so even if the row cannot be stored.
      await note(() => store.finishKey(pool, id, owner, { ...answer, body }));
      return { answer, isReplayed: false };
    } catch (failure) {
      await note(() => store.freeKey(pool, id, owner));
      throw failure;
    }
  };

  /** PostgreSQL may have stored the row although its reply was lost. That row would block the key until its lease ends. */
  const begin = async (request: KeyedRequest, owner: string): Promise<boolean> => {
    try {
      return await store.beginKey(pool, request, owner);
    } catch (failure) {
      void store.writeNowOrLater(() => store.freeKey(pool, request.id, owner), warn);
      throw failure;
    }
  };

  const lookOrRun = async (request: KeyedRequest, work: IdempotentWork, deadline: number): Promise<OnceAnswer> => {
    for (;;) {
      const answer = await look(request, deadline);
      if (answer !== undefined) return { answer, isReplayed: true };
      if (work.isPublish) return publish(request, work, deadline);
      const owner = randomUUID();
      if (await begin(request, owner)) return runUnderLease(request, owner, work);
    }
  };

  return {
    async once(request, work) {
      const name = request.id.toString('base64');
      const deadline = performance.now() + WAIT_MS;
      // Fifty concurrent requests cost one query and one connection, not fifty.
      for (let first = running.get(name); first !== undefined; first = running.get(name)) {
        const known = await before(deadline, first);
        if (known === undefined) continue;
        refuseOther(request, known.requestHash);
        return { answer: known.answer, isReplayed: true };
      }
      const answering = lookOrRun(request, work, deadline);
      const shared = answering.then(
        ({ answer }) => ({ requestHash: request.requestHash, answer }),
        () => undefined,
      );
      running.set(name, shared);
      void shared.then(() => running.delete(name));
      return answering;
    },
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Binds an encrypted response to its row. */
const sealContext = (id: Buffer): SealContext => `idempotency_keys|sealed_body|${id.toString('hex')}`;

function refuseOther(request: KeyedRequest, requestHash: Buffer): void {
  if (requestHash.equals(request.requestHash)) return;
  const reason = 'was already used for another body; use a new key for a new request';
  throw new ApiError('CONFLICT', `Idempotency-Key: ${reason}`, { details: { field: 'Idempotency-Key', reason } });
}

const stillRunning = (): ApiError =>
  new ApiError('CONFLICT', 'The first request with this Idempotency-Key is still in progress', {
    retryAfter: RETRY_AFTER_SECONDS,
  });

/** Returns the result of the promise; throws if it has not settled by the deadline. */
async function before<T>(deadline: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stillRunning()), Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
