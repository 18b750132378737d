import type { Delivery } from '../api/client.ts';
import type { Tone } from '../ui/status.tsx';

type Word = { tone: Tone; word: string };

/** Labels for the state of deliveries, and of messages by their deliveries, in rows and headings. */
export const DELIVERY_STATES = {
  delivered: { tone: 'delivered', word: 'Delivered' },
  failed: { tone: 'failed', word: 'Failed' },
  retrying: { tone: 'retrying', word: 'Retrying' },
  pending: { tone: 'pending', word: 'Pending' },
} as const satisfies Readonly<Record<string, Word>>;

/** A delivery that is not being attempted is on hold, whatever its policy says. */
export const stateOfDelivery = ({ status, held }: Pick<Delivery, 'status' | 'held'>): Word =>
  held === undefined ? DELIVERY_STATES[status] : { tone: 'held', word: 'On hold' };

/** The state of a message: the combined state of its deliveries, or that it is scheduled. */
export const MESSAGE_STATES = {
  ...DELIVERY_STATES,
  unrouted: { tone: 'cancelled', word: 'No subscribers' },
  scheduled: { tone: 'scheduled', word: 'Scheduled' },
  cancelled: { tone: 'cancelled', word: 'Cancelled' },
} as const satisfies Readonly<Record<string, Word>>;

/** Why a delivery is on hold. */
export const HELD_WORDS: Readonly<Record<NonNullable<Delivery['held']>['reason'], string>> = {
  app_suspended: 'App suspended',
  paused: 'Subscription paused',
  disabled: 'Subscription disabled',
  circuit: 'Circuit breaker open',
  rate_limit: 'Rate limited',
  secret_unreadable: "Signing secret can't be decrypted",
  internal: 'Internal error',
};

type ErrorClass = NonNullable<Delivery['error']>['class'];

/** Why an attempt failed. */
export const ERRORS: Readonly<Record<ErrorClass, string>> = {
  dns: 'DNS lookup failed',
  connect: 'Connection failed',
  tls: 'TLS error',
  timeout: 'Timeout',
  status: 'HTTP error',
  blocked_address: 'Blocked address',
  protocol: 'Invalid HTTP response',
  crashed: 'Worker crashed',
  internal: 'Internal error',
};
export const ERROR_KINDS = Object.keys(ERRORS) as ErrorClass[];

/** Why an attempt failed, short enough for a badge in place of a status code. */
export const ERROR_CODES: Readonly<Record<ErrorClass, string>> = {
  dns: 'dns',
  connect: 'connection failed',
  tls: 'tls',
  timeout: 'timeout',
  status: 'http error',
  blocked_address: 'blocked',
  protocol: 'invalid response',
  crashed: 'worker crashed',
  internal: 'internal error',
};

/** Why a delivery or a run failed permanently. */
export const GIVE_UP_REASONS: Readonly<Record<string, string>> = {
  exhausted: 'All attempts failed',
  gone: 'Endpoint returned 410 Gone',
  circuit: 'Circuit breaker stayed open',
  cancelled: 'Cancelled',
  internal: 'Internal error',
  subscription_deleted: 'Subscription deleted',
  erased: 'Message erased',
  failed_step: 'Step failed',
};

/** Returns a text such as `1 delivery` or `12 deliveries`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
