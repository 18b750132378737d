import type { AddressGuard, UrlVerdict } from '../../platform/outbound/guard/address-guard.ts';
import { customHeadersProblem, headersNotSent } from '../../platform/outbound/headers.ts';
import { type ErrorDetails, invalidField } from '../../kernel/errors.ts';
import type { Subscription } from './schema.ts';

/** Longest header name that is repeated to the caller, in UTF-16 units: a field is a hint, not a copy of the body. */
const MAX_FIELD_NAME_LENGTH = 64;

/** A publisher may take it for the customer whose messages alone arrive here. */
const OWNER_ROUTES_NOTHING =
  'is a label to list by and routes nothing: this subscription gets the messages of its channel for every owner, unless eventTypes or filter say otherwise';

type Target = Pick<Subscription, 'webhookUrl' | 'headers' | 'owner'>;

const headerField = (name: string): string => `headers[${JSON.stringify(name.slice(0, MAX_FIELD_NAME_LENGTH))}]`;

/**
 * Decides where a subscription may send and with which headers. Judged when it is saved, and shown for one that is older than a rule.
 */
export function createTargets(guard: Pick<AddressGuard, 'checkWebhookUrl' | 'judgeWebhookUrl'>) {
  return {
    /** The guard's verdict on a URL. May take as long as a name server does: not within a transaction. */
    judge: async (webhookUrl: string | undefined): Promise<UrlVerdict> =>
      webhookUrl === undefined ? {} : guard.judgeWebhookUrl(webhookUrl),

    /**
     * Refuses what the schema cannot judge. `verdict` is that on the URL. `stored` is the present state of the subscription: the same URL
     * and the same header written again are fine, whatever rules have come since, so that such a subscription can still be changed
     * otherwise.
     */
    check(
      { webhookUrl, headers }: Partial<Pick<Target, 'webhookUrl' | 'headers'>>,
      { problem: urlProblem }: UrlVerdict,
      stored?: Target,
    ): void {
      if (urlProblem !== undefined && webhookUrl !== undefined && webhookUrl !== stored?.webhookUrl)
        throw invalidField('webhookUrl', urlProblem);
      if (headers !== undefined) {
        const problem = customHeadersProblem(headers, stored?.headers);
        if (problem === undefined) return;
        throw invalidField(problem.name === undefined ? 'headers' : headerField(problem.name), problem.reason);
      }
    },

    /**
     * The subscription with `warnings` where there are any: stored values that today's rules refuse and that are not used, a name that
     * cannot be reached yet, and an `owner`, which decides nothing. Without a `verdict` no name server has been asked.
     */
    withWarnings<T extends Target>(subscription: T, verdict?: UrlVerdict): T & { warnings?: ErrorDetails[] } {
      const { problem, warning } = verdict ?? { problem: guard.checkWebhookUrl(subscription.webhookUrl) };
      const warnings = [
        ...(problem === undefined ? [] : [{ field: 'webhookUrl', reason: `is not sent to: it ${problem}` }]),
        ...(warning === undefined ? [] : [{ field: 'webhookUrl', reason: warning }]),
        ...(subscription.owner === undefined ? [] : [{ field: 'owner', reason: OWNER_ROUTES_NOTHING }]),
        ...headersNotSent(subscription.headers).map(({ name, reason }) => ({ field: headerField(name), reason })),
      ];
      return warnings.length === 0 ? subscription : { ...subscription, warnings };
    },
  };
}
