import { useTexts } from '../lib/texts.ts';
import { type ListFilter, SINCE } from './filters.tsx';
import { useMarks } from './use-marks.ts';

/** So many marks can be chosen. */
const SHOWN = 5;

/**
 * The filter by time: the last hours and days, and since each of the latest marks. `chosen` is a time of its own, where the address has
 * one.
 */
export function useSince(chosen: string | undefined): ListFilter {
  const t = useTexts();
  const marks = useMarks();
  const times: (readonly [string, string])[] = [
    ...SINCE.map((since) => [since, t.list.last[since]] as const),
    ...marks.slice(0, SHOWN).map(({ at, name }) => [at, t.marks.since(name)] as const),
  ];
  // A mark that is older than those, or gone, is still what the list shows.
  const isKnown = chosen === undefined || times.some(([value]) => value === chosen);
  return { name: 'since', label: t.fields.since, options: isKnown ? times : [...times, [chosen, chosen]] };
}
