/** Channels of the shop, by name. */
export const CHANNELS = ['orders', 'shipments', 'billing', 'customers', 'deployments'] as const;
export type ChannelName = (typeof CHANNELS)[number];

/** One message that the shop publishes. */
export type ShopEvent = { channel: ChannelName; eventType: string; payload: object; metadata: Record<string, string> };

/** Creates the events of one run of the demo, each about an order of its own. */
export type Events = {
  /** The event at this position of the shop's mix; the mix repeats after 20. */
  at(position: number): ShopEvent;
  /** A paid order with this total, delivered to this country. */
  paidOrder(total: number, country: string): ShopEvent;
};

// 20 events hold 11 of orders, 4 of shipments, 2 of billing and 3 of customers, so that a small count has each of them.
const MIX = [
  'order.created',
  'order.paid',
  'shipment.dispatched',
  'customer.updated',
  'refund.issued',
  'order.created',
  'order.paid',
  'shipment.dispatched',
  'order.created',
  'payment.failed',
  'customer.updated',
  'order.paid',
  'order.created',
  'shipment.dispatched',
  'order.paid',
  'order.created',
  'customer.updated',
  'order.paid',
  'shipment.dispatched',
  'order.created',
] as const;
const CHANNEL_OF: Readonly<Record<(typeof MIX)[number], ChannelName>> = {
  'order.created': 'orders',
  'order.paid': 'orders',
  'shipment.dispatched': 'shipments',
  'refund.issued': 'billing',
  'payment.failed': 'billing',
  'customer.updated': 'customers',
};
// About 125 bytes each: 560 lines are 70 KB, the order of a wholesaler.
const LARGE_ORDER_LINES = 560;
const LARGE_ORDER_EVERY = 60;

const PEOPLE = [
  ['Jonas Weber', 'DE'],
  ['Amélie Fournier', 'FR'],
  ['Noor de Vries', 'NL'],
  ['Katarzyna Nowak', 'PL'],
  ['Oliver Grant', 'GB'],
  ['Sofía Romero', 'ES'],
  ['Elin Bergström', 'SE'],
  ['Ryan Keller', 'US'],
  ['Giulia Conti', 'IT'],
  ['Yuki Tanaka', 'JP'],
] as const;
const GOODS = [
  ['TS-44', 'T-shirt, organic cotton', 19.9],
  ['MG-02', 'Mug, enamel', 12.5],
  ['BP-17', 'Backpack, 22 l', 89],
  ['LM-08', 'Desk lamp', 54.9],
  ['NB-31', 'Notebook, dotted', 8.4],
  ['KT-12', 'Kettle, gooseneck', 74],
  ['CH-90', 'Office chair', 349],
  ['TB-05', 'Standing desk', 599],
] as const;

/** `random` returns numbers from 0 to 1. Orders count from `firstOrder`, so that two runs of the demo have different ones. */
export function createEvents(random: () => number, firstOrder: number): Events {
  let order = firstOrder;
  const upTo = (limit: number): number => Math.floor(random() * limit);
  const one = <T>(of: readonly T[]): T => of[upTo(of.length)] ?? (of[0] as T); // `as`: no list here is empty.
  const cents = (value: number): number => Math.round(value * 100) / 100;

  const customerOf = (orderId: string, country?: string): Record<string, unknown> => {
    const [name, home] = one(PEOPLE);
    return {
      id: `cus_${1_000 + upTo(9_000)}`,
      name,
      email: `${name
        .split(' ')[0]
        ?.normalize('NFD')
        .replaceAll(/[^a-zA-Z]/g, '')
        .toLowerCase()}.${orderId.slice(3)}@example.com`,
      // Business customers have one; the receiver of the incident cannot handle the others.
      vatId: random() < 0.3 ? `${country ?? home}${100_000_000 + upTo(900_000_000)}` : null,
      locale: `${(country ?? home).toLowerCase()}-${country ?? home}`,
      address: {
        line1: `${1 + upTo(180)} Harbour Street`,
        postcode: String(10_000 + upTo(80_000)),
        country: country ?? home,
      },
    };
  };
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const [sku, title, price] = one(GOODS);
      const quantity = 1 + upTo(3);
      return {
        line: index + 1,
        sku,
        title,
        quantity,
        price,
        tax: cents(quantity * price * 0.19),
        warehouse: `WH-${1 + upTo(4)}`,
        isGift: false,
      };
    });

  function orderOf(isLarge: boolean, given: { total?: number; country?: string } = {}): object {
    order += 1;
    const orderId = `SO-${order}`;
    const bought = lines(isLarge ? LARGE_ORDER_LINES : 1 + upTo(random() < 0.1 ? 24 : 9));
    const customer = customerOf(orderId, given.country);
    const subtotal = bought.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
    return {
      orderId,
      total: given.total ?? cents(subtotal),
      currency: 'EUR',
      placedAt: new Date().toISOString(),
      customer,
      lines: bought,
      shipping: { method: one(['standard', 'express', 'pickup']), ...(customer['address'] as object) }, // `as`: made above.
      payment: {
        method: one(['card', 'paypal', 'invoice', 'klarna']),
        reference: `pay_${1_000_000 + upTo(9_000_000)}`,
      },
      attribution: {
        channel: one(['web', 'app', 'marketplace']),
        campaign: one(['autumn', 'newsletter', null]),
        device: one(['mobile', 'desktop']),
      },
    };
  }

  /** What has happened to the thing so far, newest first. */
  const history = (...notes: readonly string[]) =>
    Array.from({ length: 2 + upTo(5) }, (_, index) => ({
      at: new Date(Date.now() - (index + 1) * 3_600_000).toISOString(),
      by: one(['system', 'customer', 'support']),
      note: one(notes),
    }));

  const payloadOf = (eventType: (typeof MIX)[number], position: number): object => {
    const orderId = `SO-${Math.max(firstOrder, order - upTo(40))}`;
    switch (eventType) {
      case 'order.created':
      case 'order.paid':
        return orderOf(position % LARGE_ORDER_EVERY === LARGE_ORDER_EVERY - 1);
      case 'shipment.dispatched': {
        const parcels = Array.from({ length: 1 + upTo(3) }, () => ({
          trackingNumber: `FL${100_000_000 + upTo(900_000_000)}`,
          weightGrams: 200 + upTo(9_000),
          label: `https://labels.example.com/${1_000 + upTo(9_000)}.pdf`,
        }));
        return {
          shipmentId: `SH-${order}-${position}`,
          orderId,
          carrier: 'Fastlane Post',
          service: one(['parcel', 'express']),
          parcels,
          to: customerOf(orderId)['address'],
          history: history('Picked', 'Packed', 'Label printed'),
        };
      }
      case 'refund.issued':
        return {
          refundId: `RF-${order}-${position}`,
          orderId,
          amount: cents(20 + random() * 400),
          currency: 'EUR',
          reason: one(['damaged', 'returned', 'late', 'duplicate']),
          customer: customerOf(orderId),
          history: history('Return requested', 'Parcel received', 'Goods inspected'),
        };
      case 'payment.failed':
        return {
          paymentId: `pay_${1_000_000 + upTo(9_000_000)}`,
          orderId,
          amount: cents(20 + random() * 400),
          currency: 'EUR',
          decline: { code: one(['insufficient_funds', 'expired_card', 'do_not_honor']), attempt: 1 + upTo(3) },
          customer: customerOf(orderId),
          history: history('Charge attempted', 'Card declined', 'Customer notified'),
        };
      case 'customer.updated':
        return {
          ...customerOf(orderId),
          changed: one([['email'], ['address'], ['name', 'locale']]),
          marketing: { newsletter: random() < 0.5, sms: false },
          updatedBy: one(['customer', 'support']),
          history: history('Signed up', 'Changed the address', 'Asked for an invoice', 'Opted in to the newsletter'),
        };
      default:
        return eventType satisfies never;
    }
  };
  const metadata = (): Record<string, string> => ({
    source: one(['checkout', 'backoffice', 'app']),
    region: 'eu-central',
  });

  return {
    at(position) {
      const eventType = MIX[position % MIX.length] ?? 'order.created';
      return {
        channel: CHANNEL_OF[eventType],
        eventType,
        payload: payloadOf(eventType, position),
        metadata: metadata(),
      };
    },
    paidOrder: (total, country) => ({
      channel: 'orders',
      eventType: 'order.paid',
      payload: orderOf(false, { total, country }),
      metadata: metadata(),
    }),
  };
}

/** The same numbers from 0 to 1 for the same seed (mulberry32), so that the demo looks alike each time. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
