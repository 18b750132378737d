import { BETWEEN, type ListFilter, type Search } from '../lib/list-filter.ts';
import { isTime } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { SINCE } from './filters.tsx';
import { useMarks } from './use-marks.ts';

/** So many marks can be chosen. */
const SHOWN = 5;

/** The filters by time: the last hours and days, since each of the latest marks, or between two times. `search` is the address. */
export function useSince(search: Search): readonly ListFilter[] {
  const t = useTexts();
  const marks = useMarks();
  const { since, until } = search;
  const times: (readonly [string, string])[] = [
    ...SINCE.map((each) => [each, t.list.last[each]] as const),
    ...marks.slice(0, SHOWN).map(({ at, name }) => [at, t.marks.since(name)] as const),
  ];
  // A mark that is older than those, or gone, is a time like any other.
  const isChoice = until === undefined && (since === undefined || times.some(([value]) => value === since));
  return [
    {
      name: 'since',
      label: t.fields.since,
      options: [...times, [BETWEEN, t.list.between]],
      accepts: isTime,
      ...(!isChoice && { shown: BETWEEN }),
    },
    { name: 'until', label: t.fields.until, accepts: isTime, isPart: true },
  ];
}
