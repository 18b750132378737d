import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { createChannel, type PageJson } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Schema = Record<string, unknown>;

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

// Few names and few values: payloads and schemas meet often, so that both answers are common.
const name = fc.constantFrom('a', 'b', 'c', 'toString', 'length');
const text = fc.constantFrom('', 'x', 'xy', 'ab1', 'ü');
const scalar: fc.Arbitrary<unknown> = fc.oneof(fc.integer({ min: -2, max: 4 }), text, fc.boolean(), fc.constant(null));
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(name, scalar, { maxKeys: 2 }),
);
const payload = fc.dictionary(name, value, { maxKeys: 3 });

const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object', 'null').map((type) => ({ type })),
  fc.integer({ min: -2, max: 3 }).map((minimum) => ({ minimum })),
  fc.integer({ min: 0, max: 2 }).map((maxLength) => ({ maxLength })),
  fc
    .uniqueArray(scalar, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) })
    .map((values) => ({ enum: values })),
  fc.constantFrom('^x', '[0-9]', '^$').map((pattern) => ({ pattern })),
  fc.constant({ uniqueItems: true }),
  leafOfItems(),
);
function leafOfItems(): fc.Arbitrary<Schema> {
  return fc.constantFrom('string', 'integer').map((type) => ({ items: { type } }));
}
const schema: fc.Arbitrary<Schema> = fc.record(
  {
    properties: fc.dictionary(
      name,
      fc.oneof(
        leaf,
        fc.tuple(leaf, leaf).map((anyOf) => ({ anyOf })),
      ),
      { maxKeys: 3 },
    ),
    required: fc.uniqueArray(name, { maxLength: 1 }),
    additionalProperties: fc.oneof({ weight: 3, arbitrary: fc.constant(true as unknown) }, leaf),
    maxProperties: fc.integer({ min: 2, max: 3 }),
  },
  { requiredKeys: ['properties'] },
);

const EVENT_TYPES = ['order.created', 'order.paid'] as const;
const message = fc.record({ eventType: fc.constantFrom(...EVENT_TYPES), payload });

/**
 * An instance of Ajv that shares nothing with the service: its own options, its own compilation, V8's regular expressions. One for all
 * runs, since the first compilation of an instance takes 30 ms.
 */
const ajv = new Ajv2020({ strict: false, ownProperties: true, multipleOfPrecision: 6 });
/** Whether a payload fits. */
const compiled = (each: Schema): ((sent: unknown) => boolean) => {
  const validate = ajv.compile(each);
  ajv.removeSchema(each);
  return (sent) => validate(sent);
};

test('a batch is published exactly when every payload fits, and then as it is: all of it or nothing', async () => {
  const seen = { published: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      schema,
      fc.option(schema, { nil: undefined }),
      fc.array(message, { minLength: 1, maxLength: 4 }),
      async (all, ofPaid, messages) => {
        const { id } = await createChannel(posthorn, {
          schema: all,
          ...(ofPaid && { schemas: { 'order.paid': ofPaid } }),
        });
        const path = `/v1/channels/${id}/messages`;
        const { status, body } = await posthorn.request<{ error?: { details: { field: string } } }>(
          'POST',
          `${path}/batch`,
          { messages },
        );
        const [fitsAll, fitsPaid] = [compiled(all), compiled(ofPaid ?? {})];
        const misfit = messages.findIndex(
          (each) => !fitsAll(each.payload) || (each.eventType === 'order.paid' && !fitsPaid(each.payload)),
        );
        expect([status, body.error?.details.field.startsWith(`messages[${misfit}].payload`)]).toEqual(
          misfit === -1 ? [202, undefined] : [400, true],
        );
        seen[misfit === -1 ? 'published' : 'refused'] += 1;
        const listed = await posthorn.request<PageJson<(typeof messages)[number]>>('GET', `${path}?limit=100`);
        const stored = listed.body.data.map(({ eventType, payload: kept }) => ({ eventType, payload: kept })).reverse();
        // As JSON writes them: -0 is 0.
        expect(stored).toEqual(misfit === -1 ? JSON.parse(JSON.stringify(messages)) : []);
      },
    ),
    { numRuns: 150 },
  );
  // Neither answer may be the only one that was looked at.
  expect(Math.min(seen.published, seen.refused)).toBeGreaterThan(15);
});
