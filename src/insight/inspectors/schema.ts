import { z } from 'zod';
import { idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { enumQuery, namePartQuery, pageQuery } from '../../api/http/reading/query.ts';
import { nameProblem } from '../../kernel/values/text.ts';

/** An attempt times out after 30 s, so a longer delay would make no difference. */
const MAX_DELAY_MS = 30_000;

export const SIGNATURE_STATUSES = ['verified', 'failed', 'unsigned'] as const;

/** Why a signature is not valid, in the order of the checks. */
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
  status: bounded(200, 599).describe('Status of each response. Default 200.'),
  delayMs: bounded(0, MAX_DELAY_MS).describe('Delay before each response, in milliseconds. Default 0.'),
  failurePercent: bounded(0, 100).describe('Percentage of responses that are 500 instead. Default 0.'),
};
const givenAnswer = fieldsOf(answerShape).describe('Response that senders receive.');

const resource: ResourceFields = {
  identity: { id: sameText(), createdAt: sameTime() },
  moved: ['updatedAt', 'url'],
  rules: { name: nameProblem },
};

export const createInspectorBody = fieldsOf(
  { name: name.describe('Display name.'), answer: givenAnswer.exactOptional() },
  resource,
).meta({ typeName: 'CreateInspector' });
export type CreateInspector = z.output<typeof createInspectorBody>;

export const inspectorChange = changeOf(
  { name: name.exactOptional().describe('Display name.'), answer: givenAnswer.exactOptional() },
  resource,
);
export const updateInspectorBody = inspectorChange.body.meta({ typeName: 'UpdateInspector' });
export type UpdateInspector = z.output<typeof updateInspectorBody>;

export const listInspectorsQuery = pageQuery
  .extend({
    name: namePartQuery.exactOptional().describe('Only inspectors with this text in their name, ignoring case.'),
  })
  .meta({ typeName: 'ListInspectors' });
export type ListInspectors = z.output<typeof listInspectorsQuery>;

export const inspectorAnswer = z
  .strictObject({
    id: idOf('inspector').describe('Prefix `ins_` and 26 characters (128 random bits).'),
    name: z.string().describe('Display name.'),
    url: z.string().describe('Address that records requests. Anyone who knows it can send there.'),
    answer: z
      .strictObject({
        status: wholeNumber.describe('Status of each response.'),
        delayMs: wholeNumber.describe('Delay before each response, in milliseconds.'),
        failurePercent: wholeNumber.describe('Percentage of responses that are 500 instead.'),
      })
      .describe('Response that senders receive.'),
    createdAt: time.describe('When it was created.'),
    updatedAt: time.describe('When it was last changed.'),
  })
  .meta({ typeName: 'Inspector' });
export type Inspector = z.output<typeof inspectorAnswer>;
export type ForcedAnswer = Inspector['answer'];

const signature = z
  .strictObject({
    status: z
      .enum(SIGNATURE_STATUSES)
      .describe(
        '`verified`: the signature is valid for the secret of a subscription. `unsigned`: there is no `webhook-signature`.',
      ),
    reason: z.enum(SIGNATURE_REASONS).exactOptional().describe('Why verification failed.'),
    messageId: idOf('message').exactOptional().describe('Message that `webhook-id` names, if this environment has it.'),
    subscriptionId: idOf('subscription')
      .exactOptional()
      .describe('Subscription whose secret was used to verify the signature.'),
  })
  .describe('Standard Webhooks signature.');
export type Signature = z.output<typeof signature>;

const requestShape = {
  id: idOf('inspectedRequest'),
  inspectorId: idOf('inspector').describe('Inspector that received it.'),
  method: z.string().describe('Method of the request.'),
  path: z.string().describe('Rest of the path after the address of the inspector, and the query. Usually empty.'),
  bytes: wholeNumber.describe('Length of the body in bytes.'),
  signature,
  answer: z
    .strictObject({
      status: wholeNumber.describe('Status that the sender received.'),
      delayMs: wholeNumber.describe('Delay of the response in milliseconds.'),
    })
    .describe('Response that the sender received.'),
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
          value: z.string().describe('Value. Credentials are not kept.'),
        }),
      )
      .describe('Headers in the order in which they arrived.'),
    body: z.string().describe('Body as it arrived, up to 256 KiB.'),
    encoding: z.enum(['text', 'base64']).describe('Encoding of `body`: base64 if the bytes are not UTF-8.'),
    isCut: z.boolean().describe('Whether `body` was cut off.'),
  })
  .meta({ typeName: 'InspectedRequest' });
export type InspectedRequest = z.output<typeof inspectedRequestAnswer>;

export const listRequestsQuery = pageQuery
  .extend({
    signatureStatus: enumQuery(SIGNATURE_STATUSES).optional().describe('Only requests with this signature status.'),
  })
  .meta({ typeName: 'ListRequests' });
export type ListRequests = z.output<typeof listRequestsQuery>;
