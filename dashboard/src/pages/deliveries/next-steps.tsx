import { ArchiveX, ScrollText, ShieldCheck, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Delivery, Subscription } from '../../api/client.ts';
import { policySpan, policyText } from '../../lib/policy-text.ts';
import { useHere } from '../../lib/session.ts';
import { HereLink, PROSE_LINK } from '../../parts/link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';

/** A policy that ends before this is too short for an outage. */
const SHORT_MS = 3_600_000;

/** What to do about a failing delivery: its cause, its signature, its policy. */
export function NextSteps({ delivery, subscription }: { delivery: Delivery; subscription: Subscription | undefined }) {
  const { may } = useHere();
  if (delivery.status !== 'failed' && delivery.status !== 'retrying') return null;
  const status = delivery.response?.status;
  const cause: Record<string, string> = {
    subscription: delivery.subscriptionId,
    ...(status !== undefined && { answer: String(status) }),
    ...(status === undefined && delivery.error !== undefined && { error: delivery.error.class }),
  };
  return (
    <Section title="Try next">
      <ul className="flex flex-col gap-2.5">
        {delivery.status === 'failed' && (
          <Step icon={ArchiveX}>
            <HereLink to="/dead-letters" search={cause} className={PROSE_LINK}>
              See the dead letters with this cause
            </HereLink>{' '}
            and replay them together
          </Step>
        )}
        {may('developer') && (
          <Step icon={ShieldCheck}>
            <HereLink
              to="/doctor"
              search={{ message: delivery.messageId, subscription: delivery.subscriptionId }}
              className={PROSE_LINK}
            >
              Check the signature
            </HereLink>{' '}
            that the endpoint computed
          </Step>
        )}
        {subscription !== undefined && (
          <Step icon={ScrollText}>
            <HereLink to={`/subscriptions/${subscription.id}`} search={{ tab: 'settings' }} className={PROSE_LINK}>
              Retry policy
            </HereLink>
            : {policyText(subscription.retryPolicy)}.
            {policySpan(subscription.retryPolicy) < SHORT_MS && ' That is short for an outage'}
          </Step>
        )}
      </ul>
    </Section>
  );
}

function Step({ icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <li className="flex gap-2">
      <span className="flex h-5 items-center text-text-3">
        <Icon of={icon} isSmall />
      </span>
      <span className="min-w-0">{children}</span>
    </li>
  );
}
