import type { AddressGuard, UrlVerdict } from '../../platform/outbound/guard/address-guard.ts';
import { customHeadersProblem, headersNotSent } from '../../platform/outbound/headers.ts';
import { type ErrorDetails, invalidField } from '../../kernel/errors.ts';
import type { Subscription } from './schema.ts';

/**
 * Maximum length of a header name that is repeated to the caller, in UTF-16 units: the field is a hint and not a copy
 * of the body.
 */
const MAX_FIELD_NAME_LENGTH = 64;

/** A publisher may think that only messages of this customer are delivered. */
const OWNER_ROUTES_NOTHING =
  'is only a label to filter lists by and does not affect routing: the subscription receives the messages of its channel for every owner, unless eventTypes or filter exclude them';

type Target = Pick<Subscription, 'webhookUrl' | 'headers' | 'owner'>;

const headerField = (name: string): string => `headers[${JSON.stringify(name.slice(0, MAX_FIELD_NAME_LENGTH))}]`;

/**
 * Decides where a subscription may send and with which headers. Checked when it is saved; reported as a warning if it
 * is older than a rule.
 */
export function createTargets(guard: Pick<AddressGuard, 'checkWebhookUrl' | 'judgeWebhookUrl'>) {
  return {
    /**
     * Returns the verdict of the address guard on a URL. May take as long as a DNS query, so do not call it within a
     * transaction.
     */
    judge: async (webhookUrl: string | undefined): Promise<UrlVerdict> =>
      webhookUrl === undefined ? {} : guard.judgeWebhookUrl(webhookUrl),

    /**
     * Rejects what the schema cannot check. `verdict` is that of the address guard on the URL. `stored` is the current
     * subscription: its URL and headers may be written again whatever rules have been added since, so that other fields
     * can still be changed.
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
     * Adds `warnings` if there are any: stored values that current rules reject and that are not used, a host name that
     * cannot be resolved yet, and an `owner`, which does not affect routing. Without a `verdict`, no DNS query has been
     * made.
     */
    withWarnings<T extends Target>(subscription: T, verdict?: UrlVerdict): T & { warnings?: ErrorDetails[] } {
      const { problem, warning } = verdict ?? { problem: guard.checkWebhookUrl(subscription.webhookUrl) };
      const warnings = [
        ...(problem === undefined
          ? []
          : [{ field: 'webhookUrl', reason: `cannot be used, and nothing is sent: it ${problem}` }]),
        ...(warning === undefined ? [] : [{ field: 'webhookUrl', reason: warning }]),
        ...(subscription.owner === undefined ? [] : [{ field: 'owner', reason: OWNER_ROUTES_NOTHING }]),
        ...headersNotSent(subscription.headers).map(({ name, reason }) => ({ field: headerField(name), reason })),
      ];
      return warnings.length === 0 ? subscription : { ...subscription, warnings };
    },
  };
}
