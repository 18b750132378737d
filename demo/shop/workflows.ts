import type { Approval, CreateWorkflow, Posthorn } from '../../client/src/index.ts';
import type { ChannelName } from './events.ts';
import type { Receivers } from './receivers.ts';
import { STEPS } from './scenes.ts';

/** Description of everything that has one: `--remove` finds by it what the demo created. */
export const MARKER = 'Created by npm run demo -- --keep';

/** Secrets that the http steps send. Their values are invented. */
export const SECRETS = ['STOREFRONT_PAYMENTS_TOKEN', 'STOREFRONT_ERP_TOKEN', 'STOREFRONT_SLACK_URL'] as const;

const ONE_RETRY = { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 };

const EU = "['DE', 'FR', 'NL', 'PL', 'ES', 'SE', 'IT']";

const condition = (id: string, expression: string, isTrue: string | null, isFalse: string) => ({
  id,
  type: 'condition',
  // oxlint-disable-next-line unicorn/no-thenable -- a member of the definition
  config: { expression, then: isTrue, else: isFalse },
});

/** The three workflows of the shop. Their http steps call the receiver of steps. */
export function workflowsOf(channels: Readonly<Record<ChannelName, string>>, receivers: Receivers): CreateWorkflow[] {
  const trigger = (channelId: string, eventTypes: string[], more: object = {}) => ({
    type: 'event',
    config: { channelId, eventTypes, ...more },
  });
  const http = (path: string, secret: string, body: object) => ({
    action: 'http',
    url: receivers.urlOf(STEPS, path),
    auth: { type: 'bearer', token: `{{ secrets.${secret} }}` },
    body,
    retryPolicy: ONE_RETRY,
  });
  return [
    {
      name: 'Refund approval',
      description: MARKER,
      status: 'active',
      trigger: trigger(channels.billing, ['refund.issued']),
      steps: [
        condition('is_large', 'event.payload.amount > 150.0', 'approve', 'pay_out'),
        {
          id: 'approve',
          type: 'approval',
          config: {
            title: 'Refund {{ event.payload.amount }} {{ event.payload.currency }} for {{ event.payload.orderId }}?',
            message: '{{ event.payload.customer.name }} gave the reason “{{ event.payload.reason }}”.',
            form: { type: 'object', properties: { ledgerAccount: { type: 'string' } } },
            timeout: '2d',
            approved: 'pay_out',
            rejected: 'note',
          },
        },
        {
          id: 'pay_out',
          type: 'action',
          config: http('/refunds', 'STOREFRONT_PAYMENTS_TOKEN', {
            refund: '{{ event.payload.refundId }}',
            amount: '{{ event.payload.amount }}',
          }),
          next: 'note',
        },
        {
          id: 'note',
          type: 'action',
          config: { action: 'log', text: 'Refund {{ event.payload.refundId }} is settled' },
        },
      ],
    },
    {
      name: 'Fulfil large orders',
      description: MARKER,
      status: 'active',
      trigger: trigger(channels.orders, ['order.paid'], { filter: 'payload.total > 900.0' }),
      steps: [
        condition('is_eu', `event.payload.shipping.country in ${EU}`, 'approve_large', 'customs_entry'),
        {
          id: 'approve_large',
          type: 'approval',
          config: {
            title: 'Ship {{ event.payload.orderId }} for {{ event.payload.total }} EUR?',
            if: 'event.payload.total > 3500.0',
            timeout: '2d',
            rejected: null,
          },
          next: 'create_invoice',
        },
        {
          id: 'customs_entry',
          type: 'action',
          config: http('/customs', 'STOREFRONT_ERP_TOKEN', { order: '{{ event.payload.orderId }}' }),
          next: 'notify_ops',
        },
        {
          id: 'create_invoice',
          type: 'action',
          config: http('/invoices', 'STOREFRONT_ERP_TOKEN', {
            order: '{{ event.payload.orderId }}',
            amount: '{{ event.payload.total }}',
            vatId: '{{ event.payload.customer.vatId }}',
          }),
          next: 'notify_ops',
        },
        {
          id: 'notify_ops',
          type: 'action',
          config: { action: 'log', text: 'Order {{ event.payload.orderId }} is on its way' },
        },
      ],
    },
    {
      name: 'Payment reminder',
      description: MARKER,
      status: 'active',
      trigger: trigger(channels.billing, ['payment.failed']),
      steps: [
        {
          id: 'paid',
          type: 'wait_for_event',
          config: {
            channelId: channels.orders,
            eventTypes: ['order.paid'],
            match: [{ event: 'event.payload.orderId', run: 'event.payload.orderId' }],
            timeout: '3d',
          },
          next: 'is_paid',
        },
        condition('is_paid', 'steps.paid.output.matched', null, 'remind'),
        {
          id: 'remind',
          type: 'action',
          config: { action: 'log', text: 'Remind {{ event.payload.customer.email }} of {{ event.payload.orderId }}' },
        },
      ],
    },
  ];
}

/** Answers of three open approvals: two are approved and one is rejected; the others stay open. */
const DECISIONS = [
  { isApproved: true, comment: 'Checked with the warehouse' },
  { isApproved: false, comment: 'The parcel was delivered, see the carrier’s proof' },
  { isApproved: true, comment: 'Fine' },
];

/** Decides some of the open approvals of these workflows, the oldest first, as long as two stay open. Returns how many. */
export async function decideSome(posthorn: Posthorn, workflowIds: readonly string[]): Promise<number> {
  const open: Approval[] = (await posthorn.approvals.list({ status: 'open' }).all())
    .filter(({ workflowId }) => workflowIds.includes(workflowId))
    .reverse();
  const decisions = DECISIONS.slice(0, Math.max(0, open.length - 2));
  for (const [index, { isApproved, comment }] of decisions.entries()) {
    const runId = open[index]?.runId ?? '';
    await (isApproved ? posthorn.runs.approve(runId, { comment }) : posthorn.runs.reject(runId, { comment }));
  }
  return decisions.length;
}
