import { wantsEventType } from '../../../src/kernel/event-types.ts';

/** An item as the API shows it, and what the database says of it besides. */
export type Item = { id: string } & Record<string, unknown>;

/** One filter: `values` of which each matches some items (none given: all that items have), and how an item is told to match. */
export type Filter = {
  values: string[];
  matches: (item: Item, value: string) => boolean;
  /** Values that are good and match nothing. */
  strange: string[];
  /** Values that are refused. */
  bad: string[];
};

export const EVENT_TYPES = ['order.created', 'order.paid', 'refund.made'];
/** Texts that are no id of anything. */
export const strangeIds = ['nothing', '%27', '*', '%25'];

/** A filter by one word of several. */
export const oneOf = (name: string, values: string[]): Filter => ({
  values,
  matches: (item, value) => item[name] === value,
  strange: [],
  bad: ['', 'ACTIVE', 'gone!', `${values[0]},${values[1]}`, 'null'],
});
/** A filter by an id, which takes any text. */
export const idOf = (name: string): Filter => ({
  values: [],
  matches: (item, value) => item[name] === value,
  strange: strangeIds,
  bad: [],
});
/** A literal, or a beginning: in every list as in a subscription's eventTypes. */
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
/** Ids under which some messages were published. */
export const publisherId: Filter = {
  values: ['order-7', 'order-8'],
  matches: (item, value) => item['publisherId'] === value,
  strange: ['nothing', '%27', '*', 'order-%25'],
  bad: ['', 'x'.repeat(129)],
};
const lastErrorOf = (item: Item): { class?: string; status?: number } => item['lastError'] ?? {};
/** The class of a dead letter's last failure. */
export const errorClass: Filter = {
  ...oneOf('errorClass', ['status', 'connect']),
  matches: (item, value) => lastErrorOf(item).class === value,
};
/** The status of a dead letter's last answer. */
export const errorStatus: Filter = {
  values: ['410', '503'],
  matches: (item, value) => lastErrorOf(item).status === Number(value),
  strange: ['100', '599'],
  bad: ['', '0503', '5xx', '99', '600', '503.0', '5e2', '-503'],
};
