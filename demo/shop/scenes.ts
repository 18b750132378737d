import type { CreateSubscription } from '../../client/src/index.ts';
import type { ChannelName } from './events.ts';
import type { Behaviour, Receivers, Reply } from './receivers.ts';

/** What `--scene` may be. */
export const SCENES = ['healthy', 'incident', 'empty', 'few'] as const;
export type Scene = (typeof SCENES)[number];

export type ShopSubscription = Pick<CreateSubscription, 'retryPolicy' | 'timeoutMs' | 'circuitBreaker'> & {
  name: string;
  channel: ChannelName;
  /** Path of its receiver. */
  path: string;
  eventTypes: readonly string[];
  /** Usual response time. */
  latencyMs: number;
};

// Short, so that what fails is a dead letter within 7 s: attempts after 0, 1, 3 and 7 s.
const FOUR_ATTEMPTS = { maxRetries: 3, initialDelay: 1_000, maxDelay: 4_000, backoffMultiplier: 2 };
const TWO_ATTEMPTS = { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 };

/** Subscriptions of the shop. ERP connector and Ledger fail without a circuit breaker, so that every attempt is made. */
export const SUBSCRIPTIONS: readonly ShopSubscription[] = [
  {
    name: 'ERP connector',
    channel: 'orders',
    path: '/hooks/orders',
    eventTypes: ['order.*'],
    latencyMs: 35,
    retryPolicy: FOUR_ATTEMPTS,
    timeoutMs: 15_000,
    circuitBreaker: false,
  },
  subscription('BI replica', 'orders', '/ingest', [], 12),
  subscription('Warehouse sync', 'orders', '/wms/orders', ['order.paid'], 60),
  {
    ...subscription('Parcel carrier', 'shipments', '/v2/shipments', ['shipment.*'], 120),
    retryPolicy: { ...TWO_ATTEMPTS, maxRetries: 2 },
    timeoutMs: 1_000,
  },
  subscription('CRM sync', 'customers', '/contacts', ['customer.*'], 45),
  subscription('Legacy billing', 'billing', '/cgi-bin/billing', ['payment.failed', 'refund.issued'], 25),
  { ...subscription('Ledger', 'billing', '/entries', [], 18), retryPolicy: TWO_ATTEMPTS, circuitBreaker: false },
];

/** Name of the receiver that the http steps of workflows call. */
export const STEPS = 'steps';

function subscription(
  name: string,
  channel: ChannelName,
  path: string,
  eventTypes: readonly string[],
  latencyMs: number,
): ShopSubscription {
  return {
    name,
    channel,
    path,
    eventTypes,
    latencyMs,
    retryPolicy: FOUR_ATTEMPTS,
    timeoutMs: 5_000,
    circuitBreaker: true,
  };
}

/** Most subscriptions of `few`: three, all of the channel orders. */
export const subscriptionsOf = (scene: Scene): readonly ShopSubscription[] =>
  scene === 'few' ? SUBSCRIPTIONS.slice(0, 3) : SUBSCRIPTIONS;

const VAT_ERROR: Reply = {
  status: 500,
  delayMs: 5,
  headers: { server: 'erp-gateway' },
  body: { error: 'NullPointerException', at: 'OrderMapper.java:118', message: 'customer.vatId must not be null' },
};
// A step that fails, without a retry that could help.
const REFUSED_REFUND: Reply = {
  status: 422,
  delayMs: 20,
  body: { error: 'refund_not_possible', message: 'This payment was refunded before' },
};

/** Answers of a receiver in good health: fast, with a slow one now and then. */
const wellBehaved =
  (latencyMs: number, random: () => number): Behaviour =>
  ({ count }) => {
    const isSlow = random() < 0.03;
    const delayMs = Math.round(latencyMs * (0.5 + random()) * (isSlow ? 8 : 1));
    return count % 4 === 0 ? { status: 204, delayMs } : { status: 200, delayMs, body: { received: true } };
  };

/** All receivers as they are when nothing is wrong. CRM sync asks for a pause now and then, and one refund in four is refused. */
export function behaveWell(receivers: Receivers, random: () => number): void {
  for (const { name, latencyMs } of SUBSCRIPTIONS) receivers.behave(name, wellBehaved(latencyMs, random));
  const crm = wellBehaved(45, random);
  receivers.behave('CRM sync', (request) =>
    request.count % 15 === 7
      ? { status: 429, delayMs: 10, headers: { 'retry-after': '1' }, body: { error: 'rate_limited' } }
      : crm(request),
  );
  const steps = wellBehaved(40, random);
  receivers.behave(STEPS, (request) =>
    request.path === '/refunds' && request.count % 4 === 1 ? REFUSED_REFUND : steps(request),
  );
}

/** Makes Parcel carrier accept connections without responding. */
export const loseParcelCarrier = (receivers: Receivers): void => receivers.behave('Parcel carrier', () => 'hang');

/** The incident since the deployment: ERP connector answers 500, Legacy billing 410, and invoices cannot be created. */
export function breakAtDeployment(receivers: Receivers, random: () => number): void {
  receivers.behave('ERP connector', () => VAT_ERROR);
  receivers.behave('Legacy billing', () => ({ status: 410, delayMs: 8, body: { message: 'Moved to Ledger' } }));
  const steps = wellBehaved(40, random);
  receivers.behave(STEPS, (request) => {
    if (request.path === '/invoices') return VAT_ERROR;
    return request.path === '/refunds' && request.count % 4 === 1 ? REFUSED_REFUND : steps(request);
  });
}
