import type { ListFilter } from '../../lib/list-filter.ts';
import { isTime } from '../../lib/search.ts';
import { useMarkers } from '../use-markers.ts';
import { SPANS } from './time-range.tsx';

/** Most markers to offer as completions. */
const SHOWN = 5;

/** The filters by time, which the time range sets: as text they are `since:1h` and `until:2026-11-28T14:00`. */
export function useTimeFilters(): readonly ListFilter[] {
  const marks = useMarkers();
  return [
    {
      name: 'since',
      label: 'Since',
      options: [
        ...Object.entries(SPANS),
        ...marks.slice(0, SHOWN).map(({ at, name }) => [at, `Since ${name}`] as const),
      ],
      accepts: isTime,
    },
    { name: 'until', label: 'Until', accepts: isTime, isPart: true },
  ];
}
