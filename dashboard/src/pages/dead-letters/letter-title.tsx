import { ArrowRight } from 'lucide-react';
import type { DeadLetter } from '../../api/client.ts';
import { HereLink } from '../../parts/link.tsx';
import { Whose } from '../../parts/names.tsx';

/** Returns `order.paid → ERP connector`, or the workflow whose run failed. */
export function LetterTitle({ of, arrow, isLink = false }: { of: DeadLetter; arrow: number; isLink?: boolean }) {
  const first = of.eventType ?? (of.kind === 'run' ? 'Run' : 'Message');
  return (
    <>
      {first}
      <ArrowRight
        size={arrow}
        strokeWidth={arrow > 14 ? 1.75 : 2}
        className="shrink-0 text-text-3"
        role="img"
        aria-label="to"
      />
      {isLink ? (
        <HereLink to={pathOf(of)} className="hover:underline">
          <Whose of={of} />
        </HereLink>
      ) : (
        <Whose of={of} />
      )}
    </>
  );
}

const pathOf = ({ subscriptionId, workflowId }: DeadLetter): string =>
  subscriptionId === undefined ? `/workflows/${workflowId ?? ''}` : `/subscriptions/${subscriptionId}`;
