import { wantsEventType } from '../../../src/kernel/words/event-types.ts';

/** An item as the API shows it, and further columns from the database. */
export type Item = { id: string } & Record<string, unknown>;

/**
 * One filter: `values` of which each matches some items (if none are given: all that items have), and how to tell whether an item
 * matches.
 */
export type Filter = {
  values: string[];
  matches: (item: Item, value: string) => boolean;
  /** Values that are valid and match nothing. */
  strange: string[];
  /** Values that are refused. */
  bad: string[];
};

export const EVENT_TYPES = ['order.created', 'order.paid', 'refund.made'];
/** Texts that are not an id of anything. */
export const strangeIds = ['nothing', '%27', '*', '%25'];

/** A filter by one word of several. */
export const oneOf = (name: string, values: string[]): Filter => ({
  values,
  matches: (item, value) => item[name] === value,
  strange: [],
  bad: ['', 'ACTIVE', 'gone!', `${values[0]},${values[1]}`, 'null'],
});
/** A filter by some words of several. */
export const someOf = (name: string, words: string[]): Filter => ({
  ...oneOf(name, words),
  values: [
    ...words,
    words.slice(0, 2).join(),
    words.slice(-2).toReversed().join(),
    words.slice(1).join(),
    words.join(),
  ],
  matches: (item, value) => value.split(',').includes(String(item[name])),
  bad: ['', 'ACTIVE', 'gone!', 'null', `${words[0]},${words[0]}`, `${words[0]},null`, `${words[0]},`],
});
/** A filter by an id, which accepts any text. */
export const idOf = (name: string): Filter => ({
  values: [],
  matches: (item, value) => item[name] === value,
  strange: strangeIds,
  bad: [],
});
/** A literal, or a prefix: in every list as in a subscription's eventTypes. */
export const eventType: Filter = {
  values: [...EVENT_TYPES, 'order.*', 'refund.*', '*'],
  matches: (item, value) => wantsEventType([value], String(item['eventType'])),
  strange: [
    'nothing',
    'order',
    'order.',
    'Order.created',
    'order.create',
    'orders.*',
    'order.created.*',
    '%27',
    '%25.*',
    '%25',
  ],
  bad: ['', 'ord*', '*.created', 'order.*.x', '.*', 'x'.repeat(129)],
};
/** Client-supplied ids of some messages. */
export const publisherId: Filter = {
  values: ['order-7', 'order-8'],
  matches: (item, value) => item['publisherId'] === value,
  strange: ['nothing', '%27', '*', 'order-%25'],
  bad: ['', 'x'.repeat(129)],
};
/** The error class that a delivery shows. */
export const deliveryErrorClass: Filter = {
  ...oneOf('errorClass', ['status', 'connect', 'internal']),
  matches: ({ error }, value) => (error as { class?: string } | undefined)?.class === value,
};
const answerOf = ({ response }: Item): { status: number; latencyMs: number } | undefined =>
  response as { status: number; latencyMs: number } | undefined;
/** Whether a status is the given one, of the given class or in the given range. */
const isAnswer = (value: string, status = 0): boolean => {
  const [one, other] = value.split('-').map(Number);
  return one !== undefined && other !== undefined
    ? (one - status) * (other - status) <= 0
    : new RegExp(`^${value.replaceAll('x', '\\d')}$`).test(String(status));
};
const BAD_ANSWERS = ['', '0503', '6xx', '50x', '99', '600', '503.0', '5e2', '-503', '5XX', '99-600', '500-', '4xx-5xx'];
/** The status of the last response to an undelivered delivery, or its class. */
export const deliveryErrorStatus: Filter = {
  values: ['410', '503', '4xx', '5xx', '410-503', '599-411'],
  matches: (item, value) => item['status'] !== 'delivered' && isAnswer(value, answerOf(item)?.status),
  strange: ['100', '599', '3xx', '411-499', '504-599'],
  bad: BAD_ANSWERS,
};
/** The time of the last response. */
export const minLatencyMs: Filter = {
  values: ['1000', '1500', '1501'],
  matches: (item, value) => (answerOf(item)?.latencyMs ?? 0) >= Number(value),
  strange: ['30000'],
  bad: ['', '0', '999', '01000', '30001', '1e4', '1000.0', '-1000', '100000'],
};
/** A part of a name, case-insensitive, in which no character is a pattern. */
export const namePart = (...values: string[]): Filter => ({
  values,
  matches: ({ name, webhookUrl }, value) => {
    const texts = [name, typeof webhookUrl === 'string' ? new URL(webhookUrl).host : ''];
    return texts.some((text) => typeof text === 'string' && text.toLowerCase().includes(value.toLowerCase()));
  },
  strange: ['nothing', '%27', 'a%25', 'a_t', '*', '%5C', 'ac.ive'],
  bad: ['', 'x'.repeat(201)],
});
/** Not a filter: every row is shown, with or without its large fields. */
export const isWhole: Filter = {
  values: ['true', 'false'],
  matches: () => true,
  strange: [],
  bad: ['', 'FALSE', '1', 'null'],
};
/** Deliveries that wait for something other than their policy. */
export const held: Filter = {
  values: ['true', 'false'],
  matches: (item, value) => String(item['held'] !== undefined) === value,
  strange: [],
  bad: ['', 'TRUE', '1', 'null', 'true,false'],
};
/** The status of the signature of an inspected request. */
export const signatureStatus: Filter = {
  ...oneOf('signatureStatus', ['unsigned', 'failed']),
  matches: ({ signature }, value) => (signature as { status?: string } | undefined)?.status === value,
  strange: ['verified'],
};
const lastErrorOf = (item: Item): { class?: string; status?: number } => item['lastError'] ?? {};
/** The class of a dead letter's last failure. */
export const errorClass: Filter = {
  ...oneOf('errorClass', ['status', 'connect']),
  matches: (item, value) => lastErrorOf(item).class === value,
};
/** The status of a dead letter's last response. */
export const errorStatus: Filter = {
  values: ['410', '503', '4xx', '5xx', '410-503', '599-411'],
  matches: (item, value) => isAnswer(value, lastErrorOf(item).status),
  strange: ['100', '599', '3xx', '411-499', '504-599'],
  bad: BAD_ANSWERS,
};
