import { readFileSync } from 'node:fs';
import { createTransformer } from '@swc/jest';

const { POSTHORN_MUTATIONS } = process.env;
/** The mutations of this run (find.ts), of each file one at most, from the file that the variable names. */
const mutations = JSON.parse(readFileSync(POSTHORN_MUTATIONS, 'utf8'));

const mutated = (source, filename) => {
  const mutation = mutations.find(({ path }) => filename.endsWith(`/${path}`));
  if (mutation === undefined) return source;
  const bytes = Buffer.from(source);
  const [before, after] = [bytes.subarray(0, mutation.start), bytes.subarray(mutation.end)];
  return `${before.toString()}${mutation.replacement}${after.toString()}`;
};

/** swc's transformer of jest, in front of which a condition is taken out of a file. The tree itself is never written to. */
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
