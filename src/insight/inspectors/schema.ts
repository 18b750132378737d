import { z } from 'zod';
import { idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { enumQuery, namePartQuery, pageQuery } from '../../api/http/reading/query.ts';
import { nameProblem } from '../../kernel/values/text.ts';

/** An attempt may last 30 s: a longer delay is a timeout in any case. */
const MAX_DELAY_MS = 30_000;

export const SIGNATURE_STATUSES = ['verified', 'failed', 'unsigned'] as const;

/** Why a signature does not hold, in the order in which it is looked for. */
export const SIGNATURE_REASONS = [
  'header_missing',
  'timestamp_malformed',
  'timestamp_off',
  'message_unknown',
  'secret_unreadable',
  'signature_differs',
] as const;

const name = z.string().min(1).max(200);
const bounded = (min: number, max: number) => z.number().int().min(min).max(max).exactOptional();

const answerShape = {
  status: bounded(200, 599).describe('Status of each answer. Default 200.'),
  delayMs: bounded(0, MAX_DELAY_MS).describe('Milliseconds before the answer. Default 0.'),
  failurePercent: bounded(0, 100).describe('So many of a hundred answers are 500 instead. Default 0.'),
};
const givenAnswer = fieldsOf(answerShape).describe('Answer that senders get.');

const resource: ResourceFields = {
  identity: { id: sameText(), createdAt: sameTime() },
  moved: ['updatedAt', 'url'],
  rules: { name: nameProblem },
};

export const createInspectorBody = fieldsOf(
  { name: name.describe('Name for people.'), answer: givenAnswer.exactOptional() },
  resource,
).meta({ typeName: 'CreateInspector' });
export type CreateInspector = z.output<typeof createInspectorBody>;

export const inspectorChange = changeOf(
  { name: name.exactOptional().describe('Name for people.'), answer: givenAnswer.exactOptional() },
  resource,
);
export const updateInspectorBody = inspectorChange.body.meta({ typeName: 'UpdateInspector' });
export type UpdateInspector = z.output<typeof updateInspectorBody>;

export const listInspectorsQuery = pageQuery
  .extend({ name: namePartQuery.exactOptional().describe('Only those with this in their name, in any case.') })
  .meta({ typeName: 'ListInspectors' });
export type ListInspectors = z.output<typeof listInspectorsQuery>;

export const inspectorAnswer = z
  .strictObject({
    id: idOf('inspector').describe('Prefix `ins_` and 26 characters, of 128 random bits.'),
    name: z.string().describe('Name for people.'),
    url: z.string().describe('Address that shows what arrives: whoever knows it can send there.'),
    answer: z
      .strictObject({
        status: wholeNumber.describe('Status of each answer.'),
        delayMs: wholeNumber.describe('Milliseconds before each answer.'),
        failurePercent: wholeNumber.describe('So many of a hundred answers are 500 instead.'),
      })
      .describe('Answer that senders get.'),
    createdAt: time.describe('When it was made.'),
    updatedAt: time.describe('When it was last changed.'),
  })
  .meta({ typeName: 'Inspector' });
export type Inspector = z.output<typeof inspectorAnswer>;
export type ForcedAnswer = Inspector['answer'];

const signature = z
  .strictObject({
    status: z
      .enum(SIGNATURE_STATUSES)
      .describe('`verified`: a secret of a subscription has signed it. `unsigned`: it has no `webhook-signature`.'),
    reason: z.enum(SIGNATURE_REASONS).exactOptional().describe('Why it failed.'),
    messageId: idOf('message')
      .exactOptional()
      .describe('Message that `webhook-id` names, where this environment has it.'),
    subscriptionId: idOf('subscription').exactOptional().describe('Subscription whose secret was asked.'),
  })
  .describe('Standard Webhooks signature.');
export type Signature = z.output<typeof signature>;

const requestShape = {
  id: idOf('inspectedRequest'),
  inspectorId: idOf('inspector').describe('Inspector that it came to.'),
  method: z.string().describe('Method of the request.'),
  path: z.string().describe('Rest of the path behind the address of the inspector, and query. Empty as a rule.'),
  bytes: wholeNumber.describe('Bytes of the body as it came.'),
  signature,
  answer: z
    .strictObject({
      status: wholeNumber.describe('Status that the sender got.'),
      delayMs: wholeNumber.describe('Milliseconds that the answer was held back.'),
    })
    .describe('Answer that the sender got.'),
  arrivedAt: time.describe('When it arrived.'),
};

export const inspectedRowAnswer = z.strictObject(requestShape).meta({ typeName: 'InspectedRow' });
export type InspectedRow = z.output<typeof inspectedRowAnswer>;

export const inspectedRequestAnswer = z
  .strictObject({
    ...requestShape,
    headers: z
      .array(
        z.strictObject({
          name: z.string().describe('Name as it was sent.'),
          value: z.string().describe('Value. The one of a header that proves who asks is not kept.'),
        }),
      )
      .describe('Headers, in the order in which they came.'),
    body: z.string().describe('Body as it came, at most 256 KiB of it.'),
    encoding: z.enum(['text', 'base64']).describe('Form of `body`: base64 where the bytes are no UTF-8.'),
    isCut: z.boolean().describe('Whether `body` is only the beginning.'),
  })
  .meta({ typeName: 'InspectedRequest' });
export type InspectedRequest = z.output<typeof inspectedRequestAnswer>;

export const listRequestsQuery = pageQuery
  .extend({
    signatureStatus: enumQuery(SIGNATURE_STATUSES)
      .optional()
      .describe('Only requests whose signature has this status.'),
  })
  .meta({ typeName: 'ListRequests' });
export type ListRequests = z.output<typeof listRequestsQuery>;
