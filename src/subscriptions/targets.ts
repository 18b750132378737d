import type { AddressGuard } from '../outbound/guard/address-guard.ts';
import { customHeadersProblem, headersNotSent } from '../outbound/custom-headers.ts';
import { type ErrorDetails, invalidField } from '../kernel/errors/api-error.ts';
import type { Subscription } from './schema.ts';

/** Longest header name that is repeated to the caller, in UTF-16 units: a field is a hint, not a copy of the body. */
const MAX_FIELD_NAME_LENGTH = 64;

type Target = Pick<Subscription, 'webhookUrl' | 'headers'>;

const headerField = (name: string): string => `headers[${JSON.stringify(name.slice(0, MAX_FIELD_NAME_LENGTH))}]`;

/**
 * Decides where a subscription may send and with which headers. Judged when it is saved, and shown for one that is older than a rule.
 */
export function createTargets(guard: Pick<AddressGuard, 'checkWebhookUrl'>) {
  return {
    /**
     * Refuses what the schema cannot judge. `stored` is the present state of the subscription: the same URL and the same header
     * written again are fine, whatever rules have come since, so that such a subscription can still be changed otherwise. No name
     * server is asked: every attempt checks the addresses again.
     */
    check({ webhookUrl, headers }: Partial<Target>, stored?: Target): void {
      if (webhookUrl !== undefined && webhookUrl !== stored?.webhookUrl) {
        const problem = guard.checkWebhookUrl(webhookUrl);
        if (problem !== undefined) throw invalidField('webhookUrl', problem);
      }
      if (headers !== undefined) {
        const problem = customHeadersProblem(headers, stored?.headers);
        if (problem === undefined) return;
        throw invalidField(problem.name === undefined ? 'headers' : headerField(problem.name), problem.reason);
      }
    },

    /** The subscription with `warnings` where there are any: stored values that today's rules refuse, and that are not used. */
    withWarnings<T extends Target>(subscription: T): T & { warnings?: ErrorDetails[] } {
      const problem = guard.checkWebhookUrl(subscription.webhookUrl);
      const warnings = [
        ...(problem === undefined ? [] : [{ field: 'webhookUrl', reason: `is not sent to: it ${problem}` }]),
        ...headersNotSent(subscription.headers).map(({ name, reason }) => ({ field: headerField(name), reason })),
      ];
      return warnings.length === 0 ? subscription : { ...subscription, warnings };
    },
  };
}
