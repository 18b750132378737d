import { LRUCache } from 'lru-cache';
import { type CompiledSchema, compileSchema, SchemaRefused } from './compile.ts';
import { type PayloadMisfit, loadValidator, type Validator } from './validator.ts';

/**
 * A job for the thread. Both texts are JSON; an earlier job has compiled `code`. The thread sets `begun` to 1 first.
 */
export type ThreadWork = { begun: Int32Array } & (
  | { kind: 'compile'; schema: string }
  | { kind: 'check'; code: string; payload: string }
);

export type ThreadAnswer =
  | { kind: 'compiled'; compiled: CompiledSchema }
  | { kind: 'refused'; reason: string }
  | { kind: 'checked'; misfit: PayloadMisfit | undefined }
  | { kind: 'failed'; message: string };

// Characters of code to cache, for schemas whose payloads are checked here repeatedly.
const KEPT_CODE = 4_000_000;

const validators = new LRUCache<string, Validator>({ maxSize: KEPT_CODE });

function validatorOf(code: string): Validator {
  const validator = validators.get(code) ?? loadValidator(code);
  validators.set(code, validator, { size: code.length });
  return validator;
}

/** Runs one job. The pool calls this function for each. */
export default function answer(job: ThreadWork): ThreadAnswer {
  Atomics.store(job.begun, 0, 1);
  try {
    if (job.kind === 'compile') return { kind: 'compiled', compiled: compileSchema(JSON.parse(job.schema)) };
    return { kind: 'checked', misfit: validatorOf(job.code)(JSON.parse(job.payload)) };
  } catch (error) {
    if (error instanceof SchemaRefused) return { kind: 'refused', reason: error.message };
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// The first compilation takes 260 ms, later ones 1 to 10 ms. Run it now, so that no request has to wait for it.
const warmUp = {
  type: 'object',
  properties: { a: { type: 'string', pattern: '^a$', format: 'date' } },
  required: ['a'],
};
const { code } = compileSchema(warmUp);
validatorOf(code)({ a: 'a' });
