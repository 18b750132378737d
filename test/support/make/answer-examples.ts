import { ID_PREFIXES } from '../../../src/kernel/values/ids.ts';
import { EXAMPLE_TIME, exampleIdOf } from '../../../src/api/openapi/examples.ts';

/** RECORD_EXAMPLES=true overwrites the examples that the document shows with the responses received. */
export const isToBeKept = process.env['RECORD_EXAMPLES'] === 'true';

const ID = new RegExp(String.raw`\b(${Object.values(ID_PREFIXES).join('|')})_[0-9a-hjkmnp-tv-z]{26}`, 'g');
/** Keys, secrets, codes and hashes: nothing else in a response is so long without a break. */
const RANDOM = /(?<![\w-])(svc_live_|ocs_)?([\w-]{32,})(?![\w-])/g;
const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 'example').toString('base64')}`;
/** Objects of a list that are shown. */
const SHOWN = 2;

/** Fields that differ from machine to machine, by name. */
const FIXED: Readonly<Record<string, unknown>> = {
  prefix: 'svc_live_exa',
  last4: 'mple',
  node: '26.10.0',
  postgresql: '18.4',
  address: '203.0.113.7',
  lastUsedAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  milliseconds: 12,
  bytes: 81_920,
  liveRows: 120,
  deadRows: 3,
};

/**
 * Returns a response as the document may show it: whatever differs from run to run, or should not be copied, becomes a fixed value of
 * the same form.
 */
export function shownAnswer(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const most = name === 'data' ? 1 : typeof value[0] === 'object' ? SHOWN : value.length;
    return value.slice(0, most).map((each) => shownAnswer(each));
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, shownAnswer(part, field)]));
  if (typeof FIXED[name] === typeof value) return FIXED[name];
  if (typeof value !== 'string') return value;
  // Padded base64 has characters that break every other text.
  return value.startsWith('whsec_') ? SIGNING_SECRET : shownText(value);
}

const shownText = (text: string): string =>
  text
    .replaceAll(ID, (_, prefix: string) => exampleIdOf(prefix))
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, EXAMPLE_TIME)
    .replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, 'https://posthorn.example.com')
    .replaceAll(/http%3A%2F%2Flocalhost%3A\d+/g, 'https%3A%2F%2Fposthorn.example.com')
    .replaceAll(/(?:127\.0\.0\.1|localhost):\d+/g, 'posthorn.example.com')
    .replaceAll(/\b(member|guest)\d+@/g, '$1@')
    .replaceAll(/^S[0-9A-F]{16}$/g, 'CRM_TOKEN')
    .replaceAll(RANDOM, (_, prefix = '', random: string) => prefix + fixedLike(random));

/** Letters and digits of the same alphabet and length. */
function fixedLike(random: string): string {
  const alphabet = [/^[0-9a-f]+$/, /^[A-Z2-7]+$/].find((each) => each.test(random));
  const word = alphabet === undefined ? 'example0' : alphabet.source.includes('f') ? '0123456789abcdef' : 'EXAMPLE2';
  return word.repeat(Math.ceil(random.length / word.length)).slice(0, random.length);
}

/**
 * Returns paths and types of the values in a response, without those that may differ from run to run: a list has the form of its first
 * object. The schemas of responses say which fields must be there.
 */
export function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? 'array' : [formOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([field, part]) => [field, formOf(part)]));
}

/** Source of src/api/openapi/generated/answers.ts. */
export const sourceOf = (answers: Readonly<Record<string, unknown>>): string =>
  [
    '// Recorded by `RECORD_EXAMPLES=true npm test -- test/openapi/examples.whole.test.ts`: not edited by hand.',
    '',
    '/** Good answers to the examples of requests, by endpoint. */',
    'export const ANSWERS: Readonly<Record<string, unknown>> = {',
    ...Object.entries(answers)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([endpoint, answer]) => `  '${endpoint}': ${JSON.stringify(answer)},`),
    '};',
    '',
  ].join('\n');

/** Fields that a resource has at its own route but not in a list. */
const NOT_LISTED: Readonly<Record<string, readonly string[]>> = { 'GET /v1/runs': ['definition', 'steps'] };

/** Fills empty lists with the resource that its own route shows. */
export function withListed(answers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const things = new Map(
    Object.entries(answers).map(([endpoint, answer]) => [endpoint.replace(/\/:\w+$/, '/:'), answer]),
  );
  return Object.fromEntries(
    Object.entries(answers).map(([endpoint, answer]) => {
      const listed = things.get(`${endpoint}/:`);
      // `as`: responses are objects.
      const isEmpty = JSON.stringify((answer as { data?: unknown }).data) === '[]';
      if (!isEmpty || listed === undefined) return [endpoint, answer];
      const fields = Object.entries(listed as object).filter(([name]) => NOT_LISTED[endpoint]?.includes(name) !== true);
      return [endpoint, { ...(answer as object), data: [Object.fromEntries(fields)] }];
    }),
  );
}
