import { z } from 'zod';

type Block = { children: (Block | Test)[]; tests?: Test[] };
type Test = { errors: unknown[] };

const state = z.object({
  rootDescribeBlock: z.custom<Block>((value) => typeof value === 'object' && value !== null),
  unhandledErrors: z.array(z.unknown()),
});

/**
 * Whether a test of this file has failed so far. jest tells a file nothing of that; its runner keeps it on the global object under a
 * symbol (jest-circus 30, src/state.ts). Where that is not found the answer is no.
 */
export function hasFailedTest(): boolean {
  const symbol = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  const found = state.safeParse(symbol === undefined ? undefined : Reflect.get(globalThis, symbol));
  return found.success && (found.data.unhandledErrors.length > 0 || hasError(found.data.rootDescribeBlock));
}

function hasError(part: Block | Test): boolean {
  return 'errors' in part ? part.errors.length > 0 : part.children.some(hasError);
}
