import { statusesOf } from '../lib/answers.ts';
import type { ListFilter } from '../lib/list-filter.ts';
import { oneOf } from '../lib/search.ts';
import { en, type Texts } from '../texts/en.ts';

// `as`: the catalogue has a text for each, and no other.
export const CLASSES_OF_ERRORS = Object.keys(en.errorClasses) as (keyof typeof en.errorClasses)[];

/** The filters by the last failure and by the last answer, of deliveries and of dead letters. */
export const outcomeFilters = (t: Texts): readonly ListFilter[] => [
  {
    name: 'error',
    label: t.fields.lastError,
    options: CLASSES_OF_ERRORS.map((each) => [each, t.errorClasses[each]]),
  },
  {
    name: 'answer',
    label: t.fields.lastAnswer,
    width: 64,
    accepts: (text) => statusesOf(text) !== undefined,
    // No answer at all is an error without a status.
    instead: (text) => {
      const value = oneOf(text, CLASSES_OF_ERRORS);
      return value && { name: 'error', value };
    },
    examples: ['5xx', '4xx', '500-503', 'timeout'],
  },
];
