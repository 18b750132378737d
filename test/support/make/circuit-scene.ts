import { createChannel, createSubscription, type DeliveryJson, type PageJson, publishBatch } from './factories.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { type Answer, createReceivers, type ReceivedRequest, type Receiver } from '../world/receiver.ts';
import { waitFor } from '../check/wait-for.ts';

export type CircuitJson = { state: 'closed' | 'open' | 'half_open'; openedAt?: string; nextProbeAt?: string };
export type SubscriptionJson = { status: string; circuitBreaker: boolean; circuit: CircuitJson };
export type DeadLetterJson = {
  deliveryId: string;
  reason: string;
  attempts: number;
  failedAt: string;
  lastError: object;
};

/** An endpoint with its channel and its subscription. */
export type Subscribed = { receiver: Receiver; channelId: string; subscriptionId: string };

// An hour until the second attempt: every earlier request is a probe.
export const PATIENT = { maxRetries: 5, initialDelay: 3_600_000, maxDelay: 3_600_000, backoffMultiplier: 1 };

/** Reads circuit breakers of a running service, and moves their times so that no test waits an hour for a probe. */
export function createCircuitScene(posthorn: () => TestPosthorn) {
  const receivers = createReceivers();
  const query = (text: string, ...values: unknown[]): Promise<unknown> => posthorn().deps.pool.query(text, values);

  const subscribed = async (
    answers: Answer[] | ((request: ReceivedRequest) => Answer),
    fields: Record<string, unknown> = {},
  ): Promise<Subscribed> => {
    const receiver = await receivers.start(Array.isArray(answers) ? { answers } : { answer: answers });
    const { id: channelId } = await createChannel(posthorn());
    const target = { channelId, webhookUrl: receiver.url, retryPolicy: PATIENT, ...fields };
    const { id: subscriptionId } = await createSubscription(posthorn(), target);
    return { receiver, channelId, subscriptionId };
  };

  const subscription = async (id: string): Promise<SubscriptionJson> =>
    (await posthorn().request<SubscriptionJson>('GET', `/v1/subscriptions/${id}`)).body;

  const untilCircuit = (id: string, state: CircuitJson['state']): Promise<SubscriptionJson> =>
    waitFor(`circuit ${state}`, async () => {
      const found = await subscription(id);
      return found.circuit.state === state && found;
    });

  /** As if it had opened an hour later: no probe is sent before the test wants one, however slow this machine is. */
  const keepOpen = async (id: string): Promise<CircuitJson> => {
    await query(
      `UPDATE subscriptions SET circuit_opened_at = circuit_opened_at + interval '1 hour',
         circuit_probe_at = circuit_probe_at + interval '1 hour' WHERE id = $1`,
      id,
    );
    return (await subscription(id)).circuit;
  };

  return {
    subscribed,
    subscription,
    untilCircuit,
    keepOpen,
    endReceivers: receivers.end,

    /** As if the 30 s had passed: the next delivery is the probe. */
    endOpenTime: (id: string): Promise<unknown> =>
      query(
        `UPDATE subscriptions SET circuit_opened_at = now() - interval '30 seconds', circuit_probe_at = now() WHERE id = $1`,
        id,
      ),

    /** As if the policies of its waiting deliveries had begun six hours earlier: PATIENT has ended then. */
    endPolicies: (id: string): Promise<unknown> =>
      query(
        `UPDATE deliveries SET policy_started_at = policy_started_at - interval '6 hours', due_at = due_at - interval '6 hours'
         WHERE subscription_id = $1 AND due_at <= now() AND holder IS NULL AND carrier IS NULL`,
        id,
      ),

    /** Waits until no attempt is in progress: all due deliveries are held. */
    untilHeld: (id: string): Promise<boolean> =>
      waitFor('all to be held', async () => {
        const { rowCount } = await posthorn().deps.pool.query(
          `SELECT FROM deliveries WHERE subscription_id = $1 AND (holder IS NOT NULL OR carrier IS NOT NULL OR due_at > now())`,
          [id],
        );
        return rowCount === 0;
      }),

    /** Returns when a probe failed after `after` and its deliveries began to be resolved, in ms since the epoch. */
    probeFailed: (id: string, after = 0): Promise<number> =>
      waitFor('a probe to fail', async () => {
        const { rows } = await posthorn().deps.pool.query<{ at: Date | null }>(
          'SELECT circuit_settled_at AS at FROM subscriptions WHERE id = $1 AND circuit_settled_at = circuit_probe_failed_at',
          [id],
        );
        const at = rows[0]?.at?.getTime() ?? 0;
        return at > after && at;
      }),

    /** Creates a dead endpoint whose circuit breaker is open after 20 failures, and which no probe reaches. */
    async opened(fields: Record<string, unknown> = {}): Promise<Subscribed> {
      const dead = await subscribed([500], fields);
      await publishBatch(posthorn(), dead.channelId, 20);
      await untilCircuit(dead.subscriptionId, 'open');
      await keepOpen(dead.subscriptionId);
      return dead;
    },

    /** Returns its last 100 deliveries. */
    deliveriesOf: async (id: string): Promise<DeliveryJson[]> =>
      (await posthorn().request<PageJson<DeliveryJson>>('GET', `/v1/deliveries?limit=100&subscriptionId=${id}`)).body
        .data,

    /** Returns all its dead letters. */
    async deadLettersOf(id: string): Promise<DeadLetterJson[]> {
      const letters: DeadLetterJson[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await posthorn().request<PageJson<DeadLetterJson>>(
          'GET',
          `/v1/dlq?limit=100&subscriptionId=${id}${cursor}`,
        );
        letters.push(...body.data);
        if (!body.pagination.hasMore) return letters;
        cursor = `&cursor=${body.pagination.cursor}`;
      }
    },
  };
}
