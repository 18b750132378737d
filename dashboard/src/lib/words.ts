import type { Delivery } from '../api/client.ts';
import type { Tone } from '../ui/status.tsx';

type Word = { tone: Tone; word: string };

/** The state of deliveries and of messages by their deliveries, as rows and heads show it. */
export const DELIVERY_STATES = {
  delivered: { tone: 'delivered', word: 'Delivered' },
  failed: { tone: 'failed', word: 'Failed' },
  retrying: { tone: 'retrying', word: 'Retrying' },
  pending: { tone: 'pending', word: 'Pending' },
} as const satisfies Readonly<Record<string, Word>>;

/** A delivery that is not being attempted is on hold, whatever its policy says. */
export const stateOfDelivery = ({ status, held }: Pick<Delivery, 'status' | 'held'>): Word =>
  held === undefined ? DELIVERY_STATES[status] : { tone: 'held', word: 'On hold' };

/** The state of a message: that of its deliveries together, or that it waits for its time. */
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

/** The same in a badge, where a status code would stand. */
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

/** Why a delivery or a run gave up. */
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

/** `1 delivery`, `12 deliveries`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
