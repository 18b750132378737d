import { readFileSync } from 'node:fs';
import { createTransformer } from '@swc/jest';

const { POSTHORN_MUTATION } = process.env;
/** The mutation of this run (find.ts), from the file that the variable names. */
const mutation = POSTHORN_MUTATION === undefined ? undefined : JSON.parse(readFileSync(POSTHORN_MUTATION, 'utf8'));

const mutated = (source, filename) => {
  if (mutation === undefined || !filename.endsWith(`/${mutation.path}`)) return source;
  const bytes = Buffer.from(source);
  const [before, after] = [bytes.subarray(0, mutation.start), bytes.subarray(mutation.end)];
  return `${before.toString()}${mutation.replacement}${after.toString()}`;
};

/** swc's transformer of jest, in front of which one condition is taken out of one file. The tree itself is never written to. */
export default {
  createTransformer(options) {
    const swc = createTransformer(options);
    return {
      ...swc,
      process: (source, filename, rest) => swc.process(mutated(source, filename), filename, rest),
      processAsync: (source, filename, rest) => swc.processAsync(mutated(source, filename), filename, rest),
      getCacheKey: (source, filename, rest) => swc.getCacheKey(mutated(source, filename), filename, rest),
    };
  },
};
