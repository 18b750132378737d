import type { OutlineStep } from './run-outline.ts';

/**
 * The way of a run from a step that has ended, as it is recorded: `>` and the id of the next step, or nothing behind it at the end of a
 * chain. `end:…` ends the run. `failure` means that nobody takes up the step's failure, `pause` that a person is to look at it.
 */
export type Way = `>${string}` | EndWay | 'failure' | 'pause';

/** Ends that a step of the type `end` can ask for. */
const END_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type EndStatus = (typeof END_STATUSES)[number];
type EndWay = `end:${EndStatus}`;

/** The way to a step; null ends the chain. */
export const wayTo = (stepId: string | null): Way => `>${stepId ?? ''}`;

/** The step that a way leads to, null at the end of a chain; undefined for the ways that leave the chain. */
export function stepBehind(way: Way): string | null | undefined {
  if (!way.startsWith('>')) return undefined;
  return way === '>' ? null : way.slice(1);
}

/** The way out of the run by a step of the type `end`. */
export const wayToEnd = (status: EndStatus): Way => `end:${status}`;

/** The status that a way ends the run with; undefined for all other ways. */
export const endOf = (way: Way): EndStatus | undefined => END_STATUSES.find((status) => way === `end:${status}`);

const HTTP_STATUS = /^HTTP_\d{3}$/;

/** Whether a code of a definition means this error: the code itself, `HTTP_4XX` for all of its hundred, or `*` for all. */
export const meansError = (listed: string, code: string): boolean =>
  listed === '*' || listed === code || (HTTP_STATUS.test(code) && listed === `${code.slice(0, 6)}XX`);

/** The way from a step that has failed for good. The first branch that names the error is taken. */
export function wayAfterFailure({ onError, next }: Pick<OutlineStep, 'onError' | 'next'>, code: string): Way {
  if (onError === 'continue') return wayTo(next);
  if (onError === 'pause') return 'pause';
  if (onError === 'fail') return 'failure';
  const branch = onError.find(({ errors }) => errors.some((listed) => meansError(listed, code)));
  return branch === undefined ? 'failure' : wayTo(branch.next);
}

/** The key of a step in a run: the same step is taken once for each item of the loops around it. */
export const stepKey = (stepId: string, iteration: string): string => `${stepId}#${iteration}`;

/** The iteration of an item within the loop whose own iteration is given; items count from 0. */
export const iterationOf = (loopIteration: string, item: number): string =>
  loopIteration === '' ? String(item) : `${loopIteration}.${item}`;

/** The iterations that a step sees results of: its own, and those of the loops around it, outermost first. */
export function iterationsAround(iteration: string): string[] {
  if (iteration === '') return [''];
  const places = iteration.split('.');
  return ['', ...places.map((_, index) => places.slice(0, index + 1).join('.'))];
}
