import type { AddressGuard } from '../outbound/address-guard.ts';
import { customHeadersProblem, headersNotSent } from '../outbound/custom-headers.ts';
import { type ErrorDetails, invalidField } from '../shared/api-error.ts';
import type { Subscription } from './schema.ts';

/** Longest header name that is repeated to the caller, in UTF-16 units: a field is a hint, not a copy of the body. */
const MAX_FIELD_NAME_LENGTH = 64;

type Target = Pick<Subscription, 'webhookUrl' | 'headers'>;

const headerField = (name: string): string => `headers[${JSON.stringify(name.slice(0, MAX_FIELD_NAME_LENGTH))}]`;

/** Where a subscription may send and with which headers: judged when it is saved, and shown of one that is older than a rule. */
export function createTargets(guard: Pick<AddressGuard, 'checkUrl'>) {
  return {
    /**
     * Refuses what the schema cannot judge. `stored` is what the subscription has: the same URL and the same entry of the headers
     * written again are fine, whatever rules have come since, so that such a subscription can still be changed otherwise. It asks
     * no name server: every attempt checks the addresses again.
     */
    check({ webhookUrl, headers }: Partial<Target>, stored?: Target): void {
      if (webhookUrl !== undefined && webhookUrl !== stored?.webhookUrl) {
        const problem = guard.checkUrl(webhookUrl);
        if (problem !== undefined) throw invalidField('webhookUrl', problem);
      }
      if (headers !== undefined) {
        const problem = customHeadersProblem(headers, stored?.headers);
        if (problem === undefined) return;
        throw invalidField(problem.name === undefined ? 'headers' : headerField(problem.name), problem.reason);
      }
    },

    /** The subscription with `warnings` where there are any: stored values that today's rules refuse, which are not used. */
    withWarnings<T extends Target>(subscription: T): T & { warnings?: ErrorDetails[] } {
      const problem = guard.checkUrl(subscription.webhookUrl);
      const warnings = [
        ...(problem === undefined ? [] : [{ field: 'webhookUrl', reason: `is not sent to: it ${problem}` }]),
        ...headersNotSent(subscription.headers).map(({ name, reason }) => ({ field: headerField(name), reason })),
      ];
      return warnings.length === 0 ? subscription : { ...subscription, warnings };
    },
  };
}
