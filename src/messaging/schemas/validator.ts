import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { ErrorObject } from 'ajv';
import { RE2JS } from 're2js';
import { formats, FORMATS_MODULE } from './formats.ts';
import { describeMisfit, type PayloadMisfit } from './misfit.ts';

/** Verdict of a compiled schema on a parsed payload: undefined when it fits. */
export type Validator = (payload: unknown) => PayloadMisfit | undefined;

type Compiled = ((payload: unknown) => boolean) & { errors?: ErrorObject[] | null };

/** Modules that Ajv's code may ask for; nothing else is in reach of it. */
const MODULES = new Set(['ajv/dist/runtime/equal', 'ajv/dist/runtime/ucs2length']);
/** The name under which the code finds `compilePattern`. */
export const PATTERN_MODULE = 'posthorn/pattern';

const require = createRequire(import.meta.url);

/**
 * A JavaScript pattern on an engine whose time is linear in the text: look-around and back-references are refused, by an error.
 * `(a+)+$` on 26 characters holds V8's own engine up for 2.7 s (docs/security.md).
 */
export function compileSchemaPattern(pattern: string): {
  test(text: string): boolean;
  toString(): string;
  size: number;
} {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.test(text), toString: () => `/${pattern}/`, size: compiled.programSize() };
}

/** Makes a function of what `compileSchema` has written. The code is Ajv's; of the schema's author it holds quoted texts only. */
export function loadValidator(code: string): Validator {
  const requireAllowed = (name: string): unknown => {
    if (name === PATTERN_MODULE) return { default: compileSchemaPattern };
    if (name === FORMATS_MODULE) return { formats };
    if (!MODULES.has(name)) throw new Error(`A compiled schema asks for ${name}`);
    return require(name);
  };
  const module: { exports: unknown } = { exports: undefined };
  // `as`: that is what a function compiled with these parameters takes.
  const define = compileFunction(code, ['module', 'exports', 'require']) as (...parts: unknown[]) => void;
  define(module, {}, requireAllowed);
  // `as`: Ajv's standalone code exports its validation function.
  const validate = module.exports as Compiled;
  return (payload) => (validate(payload) ? undefined : describeMisfit(validate.errors ?? [], payload));
}
