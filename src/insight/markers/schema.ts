import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../api/http/reading/fields.ts';
import { dateTimeField, pageQuery, windowQuery } from '../../api/http/reading/query.ts';
import { nameProblem } from '../../kernel/values/text.ts';

const name = z.string().min(1).max(200);

export const createMarkerBody = fieldsOf(
  {
    name: name.describe('What happened, such as `Deploy 4.2`.'),
    at: dateTimeField.exactOptional().describe('When it happened, at most 366 days ago. Default now.'),
  },
  { moved: ['id', 'madeBy', 'createdAt'], rules: { name: nameProblem } },
).meta({ typeName: 'CreateMarker' });
export type CreateMarker = z.output<typeof createMarkerBody>;

/** `since` and `until` apply to `at`. */
export const listMarkersQuery = pageQuery.extend(windowQuery).meta({ typeName: 'ListMarkers' });
export type ListMarkers = z.output<typeof listMarkersQuery>;

export const markerAnswer = z
  .strictObject({
    id: idOf('marker'),
    name: z.string().describe('What happened.'),
    at: time.describe('When it happened.'),
    madeBy: z.string().describe('Id of the API key, machine credential or person that created it.'),
    createdAt: time.describe('When it was created.'),
  })
  .meta({ typeName: 'Marker' });
export type Marker = z.output<typeof markerAnswer>;
