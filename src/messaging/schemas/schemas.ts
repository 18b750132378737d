import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { ApiError, invalidField } from '../../kernel/errors.ts';
import { fieldPath } from '../../kernel/values/text.ts';
import type { CompiledSchema } from './compile.ts';
import { type PayloadMisfit, loadValidator, type Validator } from './validator.ts';
import { createSchemaPool, type SchemaPool, TookTooLong, type SchemaWork } from './schema-pool.ts';
import type { ThreadAnswer } from './schema-thread.ts';

/** A schema that takes longer to compile is rejected, and so is a payload that takes longer to check (decision 44). */
const LIMIT_MS = 250;
// The schema compiled within LIMIT_MS when it was saved; the publisher is not to blame for a slow machine.
const LIMIT_AGAIN_MS = 2_000;
/**
 * Work that one request may do in the main thread, in units of `schemaCost` times characters of payload. The costliest
 * of 22 hostile schemas took 8 ns per unit, so this is at most 4 ms (decision 44).
 */
const QUICK_WORK = 500_000;
// Loading larger code or more patterns would itself block the main thread.
const QUICK_COST = 2_000;
const QUICK_CODE = 128 * 1024;
// Payloads larger than this (bytes) are always checked in a thread.
const QUICK_PAYLOAD = 64 * 1024;
// Characters of compiled code to cache, for all channels together.
const KEPT_CODE = 32_000_000;
// Waiting jobs per key and in total: in the worst case 25 s per key.
const WAITING_OF_KEY = 100;
const WAITING = 1_000;
// After a job of a key has had its thread terminated, the key uses the other thread for a minute.
const SLOW_FOR_MS = 60_000;
const KEPT_KEYS = 1_000;
const RETRY_AFTER_SECONDS = 1;

/** Work that one request may still do in the main thread. */
export type Budget = { units: number };
export const newBudget = (): Budget => ({ units: QUICK_WORK });

/** A payload, parsed and as text. `key` is the id of an environment; jobs of one key wait for each other. */
type PayloadToCheck = { key: string; payload: unknown; text: string };

/** A schema for every payload, and schemas by event type. Null means none, as in a change of a channel. */
type GivenSchemas = {
  schema?: Readonly<Record<string, unknown>> | null | undefined;
  schemas?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null | undefined;
};

export type Schemas = {
  /**
   * Throws INVALID_REQUEST for the first schema that does not compile in time; one key compiles one schema after the
   * other. Throws UNAVAILABLE if too much is being compiled.
   */
  refuseBad(key: string, given: GivenSchemas): Promise<void>;
  /**
   * Returns why a channel cannot have this schema; undefined if it compiles in time. Throws UNAVAILABLE if too much is
   * being compiled.
   */
  problemOf(key: string, schema: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /**
   * Returns where the payload violates the schema (its JSON text); undefined if it is valid. Does not return a promise
   * if the schema is cached and the budget is sufficient. Throws CONFLICT if a stored schema does not compile, and
   * UNAVAILABLE if too much is being checked.
   */
  check(
    schema: string,
    payload: PayloadToCheck,
    budget: Budget,
  ): PayloadMisfit | undefined | Promise<PayloadMisfit | undefined>;
};

type Known = CompiledSchema & { validator: Validator | undefined };

/**
 * Compiles schemas of channels and checks payloads without blocking this process: bounded work here, everything else in
 * two threads. One thread is for everyone; the other is for compiling what is being saved and for keys that have been
 * slow, so that nobody else has to wait for their next job.
 */
export function createSchemas({ log }: { log: Logger }): Schemas {
  const inTurn = createTurns();
  const [usual, apart] = [createSchemaPool(log), createSchemaPool(log)];
  const slowUntil = new LRUCache<string, number>({ max: KEPT_KEYS });
  const compiled = new LRUCache<string, Known>({ maxSize: KEPT_CODE });
  const compiling = new Map<string, Promise<Known>>();

  const run = (key: string, work: SchemaWork, limitMs: number, pool?: SchemaPool): Promise<ThreadAnswer> =>
    inTurn(key, async () => {
      const isSlow = performance.now() < (slowUntil.get(key) ?? 0);
      try {
        const answer = await (pool ?? (isSlow ? apart : usual)).run(work, limitMs);
        if (answer.kind === 'failed') throw new Error(`The schema thread failed: ${answer.message}`);
        return answer;
      } catch (error) {
        if (error instanceof TookTooLong) slowUntil.set(key, performance.now() + SLOW_FOR_MS);
        throw error;
      }
    });

  const keep = (schema: string, { code, cost }: CompiledSchema): Known => {
    const isQuick = cost <= QUICK_COST && code.length <= QUICK_CODE;
    const known = { code, cost, validator: isQuick ? loadValidator(code) : undefined };
    compiled.set(schema, known, { size: schema.length + code.length });
    return known;
  };

  const compileAgain = async (key: string, schema: string): Promise<Known> => {
    try {
      const answer = await run(key, { kind: 'compile', schema }, LIMIT_AGAIN_MS);
      if (answer.kind === 'compiled') return keep(schema, answer.compiled);
      const reason = answer.kind === 'refused' ? answer.reason : answer.kind;
      throw new ApiError('CONFLICT', `The schema of the channel is no longer valid. Change it: ${reason}`);
    } catch (error) {
      if (!(error instanceof TookTooLong)) throw error;
      throw unavailable(
        'The schema of the channel could not be compiled in time; wait as long as Retry-After says, then try again',
        error,
      );
    }
  };

  const known = (key: string, schema: string): Known | Promise<Known> => {
    const held = compiled.get(schema);
    if (held !== undefined) return held;
    // Not shared between keys, because a job of another key may have to wait for long.
    const wanted = `${key} ${schema}`;
    const made = compiling.get(wanted) ?? compileAgain(key, schema).finally(() => compiling.delete(wanted));
    compiling.set(wanted, made);
    return made;
  };

  const checkApart = async ({ key, text }: PayloadToCheck, code: string): Promise<PayloadMisfit | undefined> => {
    try {
      const answer = await run(key, { kind: 'check', code, payload: text }, LIMIT_MS);
      return answer.kind === 'checked' ? answer.misfit : undefined;
    } catch (error) {
      if (error instanceof TookTooLong)
        return { place: [], reason: `must take at most ${LIMIT_MS} ms to check against the schema of the channel` };
      throw error;
    }
  };

  const checkWith = (
    { code, cost, validator }: Known,
    payload: PayloadToCheck,
    budget: Budget,
  ): PayloadMisfit | undefined | Promise<PayloadMisfit | undefined> => {
    const units = cost * payload.text.length;
    if (validator === undefined || units > budget.units || Buffer.byteLength(payload.text) > QUICK_PAYLOAD)
      return checkApart(payload, code);
    budget.units -= units;
    return validator(payload.payload);
  };

  const problemOf: Schemas['problemOf'] = async (key, schema) => {
    const text = JSON.stringify(schema);
    if (compiled.get(text) !== undefined) return undefined;
    try {
      const answer = await run(key, { kind: 'compile', schema: text }, LIMIT_MS, apart);
      if (answer.kind === 'compiled') keep(text, answer.compiled);
      return answer.kind === 'refused' ? answer.reason : undefined;
    } catch (error) {
      if (error instanceof TookTooLong) return `must take at most ${LIMIT_MS} ms to compile`;
      throw error;
    }
  };

  return {
    problemOf,
    async refuseBad(key, { schema, schemas }) {
      const ofAll = schema ? [{ place: ['schema'], each: schema }] : [];
      const ofTypes = Object.entries(schemas ?? {}).map(([type, each]) => ({ place: ['schemas', type], each }));
      for (const { place, each } of [...ofAll, ...ofTypes]) {
        const problem = await problemOf(key, each);
        if (problem !== undefined) throw invalidField(fieldPath(place), problem);
      }
    },
    check(schema, payload, budget) {
      const found = known(payload.key, schema);
      return found instanceof Promise
        ? found.then((ready) => checkWith(ready, payload, budget))
        : checkWith(found, payload, budget);
    },
  };
}

/** Runs the jobs of one key one after the other. Throws UNAVAILABLE if too many are waiting. */
function createTurns(): <T>(key: string, act: () => Promise<T>) => Promise<T> {
  const waitingOf = new Map<string, { count: number; last: Promise<unknown> }>();
  let waiting = 0;
  return async (key, act) => {
    const ofKey = waitingOf.get(key) ?? { count: 0, last: Promise.resolve() };
    if (ofKey.count >= WAITING_OF_KEY || waiting >= WAITING)
      throw unavailable(
        'Too many schemas are being checked at the moment; wait as long as Retry-After says, then try again',
      );
    waiting += 1;
    ofKey.count += 1;
    waitingOf.set(key, ofKey);
    const done = ofKey.last.then(act);
    ofKey.last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      waiting -= 1;
      ofKey.count -= 1;
      if (ofKey.count === 0) waitingOf.delete(key);
    }
  };
}

const unavailable = (message: string, cause?: unknown): ApiError =>
  new ApiError('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_SECONDS, cause });
