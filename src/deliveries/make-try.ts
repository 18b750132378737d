import type { Logger } from 'pino';
import type { KeyRing } from '../credentials/key-ring.ts';
import { untilReachable } from '../db/until-reachable.ts';
import type { Clock } from '../dependencies.ts';
import { SenderClosedError } from '../outbound/connections.ts';
import type { SendResult, WebhookSender } from '../outbound/post-webhook.ts';
import type { DeliveryToAttempt } from '../shared/delivery-to-attempt.ts';
import type { AttemptResult } from '../shared/delivery-workflow.ts';
import type { Passage } from '../shared/held-by-circuit.ts';
import { judge, type Verdict } from './attempt.ts';
import type { Faults } from './faults.ts';
import type { Recorder } from './recorder.ts';
import { openSigningSecrets } from './signing-secrets.ts';
import { webhookRequest } from './webhook-request.ts';

export type Try = {
  delivery: DeliveryToAttempt;
  /** How it passes a circuit that is not closed. */
  passage: Passage;
  /** The Temporal workflow that makes it. */
  carrier: string;
  /** Whether that workflow goes on with the delivery, should it be retried; else it waits to be claimed. */
  keepsCarrier: boolean;
  /** Called once the answer is there, before it is recorded. */
  onAnswer(sent: SendResult): void;
  /** Whether nobody waits for the outcome any more: then a fault is thrown, and whoever has taken over decides. */
  isOver(): boolean;
};

/** `recorded`: false when the delivery has moved on meanwhile. `broken`: by a fault of ours, with what became of the delivery. */
export type MadeTry =
  | { end: 'sent'; sent: SendResult; verdict: Verdict; isRecorded: boolean }
  | { end: 'broken'; result: AttemptResult };

export type TryDependencies = {
  sender: WebhookSender;
  keyRing: KeyRing;
  recorder: Recorder;
  faults: Faults;
  clock: Clock;
  log: Logger;
};

/**
 * Makes one try: signs, sends, judges and records it. The activity and the drain both make their tries with it. A fault of ours
 * on the way, before or after the request, is no failure of the receiver's: the delivery is held. Throws while the worker stops,
 * when it is over, and when PostgreSQL does not even take that.
 */
export async function makeTry(deps: TryDependencies, made: Try): Promise<MadeTry> {
  const { delivery } = made;
  const { subscription } = delivery;
  const number = delivery.attempts + 1;
  let maybeSent = false;
  try {
    const { secrets, unreadable } = openSigningSecrets(deps.keyRing, subscription);
    if (unreadable.length > 0) {
      const ids = unreadable.map(({ id }) => id);
      deps.faults.tellUnreadable(subscription.id, ids, unreadable[0]?.cause);
    }
    if (subscription.isSecretUnreadable) await deps.faults.markReadable(subscription.id);
    const request = webhookRequest(delivery, secrets, deps.clock());
    maybeSent = true;
    const sent = await deps.sender.post(request);
    made.onAnswer(sent);
    const verdict = judge(delivery, sent, deps.clock(), made.passage);
    const { carrier, keepsCarrier } = made;
    const isRecorded = await deps.recorder.record({ delivery, number, carrier, keepsCarrier, sent, verdict });
    return { end: 'sent', sent, verdict, isRecorded };
  } catch (fault) {
    // A sender that is closed has sent nothing: the worker stops, and another one makes this try.
    if (fault instanceof SenderClosedError || made.isOver()) throw fault;
    const broken = { deliveryId: delivery.deliveryId, round: delivery.round, number };
    const result = await untilReachable(() => deps.faults.hold(broken, fault, { maybeSent }), made.isOver);
    return { end: 'broken', result };
  }
}
