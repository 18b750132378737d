import { ArrowRight } from 'lucide-react';
import type { DeadLetter } from '../../api/client.ts';
import { Name } from '../../parts/names.tsx';

/** `order.paid → ERP connector`, or the workflow whose run failed. */
export function LetterTitle({ of, arrow }: { of: DeadLetter; arrow: number }) {
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
      {of.subscriptionId !== undefined ? (
        <Name kind="subscription" id={of.subscriptionId} />
      ) : (
        of.workflowId !== undefined && <Name kind="workflow" id={of.workflowId} />
      )}
    </>
  );
}
