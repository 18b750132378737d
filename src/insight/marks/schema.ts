import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../api/http/reading/fields.ts';
import { dateTimeField, pageQuery, windowQuery } from '../../api/http/reading/query.ts';
import { nameProblem } from '../../kernel/values/text.ts';

const name = z.string().min(1).max(200);

export const createMarkBody = fieldsOf(
  {
    name: name.describe('The event, such as `Deploy 4.2`.'),
    at: dateTimeField.exactOptional().describe('When it was, at most 366 days ago. Default now.'),
  },
  { moved: ['id', 'madeBy', 'createdAt'], rules: { name: nameProblem } },
);
export type CreateMark = z.output<typeof createMarkBody>;

/** `since` and `until` are about `at`. */
export const listMarksQuery = pageQuery.extend(windowQuery);
export type ListMarks = z.output<typeof listMarksQuery>;

export const markAnswer = z.strictObject({
  id: idOf('mark'),
  name: z.string().describe('The event.'),
  at: time.describe('When it was.'),
  madeBy: z.string().describe('API key, machine credential or person who has marked it.'),
  createdAt: time.describe('When it was marked.'),
});
export type Mark = z.output<typeof markAnswer>;
