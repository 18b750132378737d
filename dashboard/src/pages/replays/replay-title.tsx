import { ArrowRight } from 'lucide-react';
import { Name } from '../../parts/names.tsx';
import { type AnyReplay, whatText } from './any-replay.ts';

/** Returns `300 dead letters → ERP connector`. */
export function ReplayTitle({ of, arrow }: { of: AnyReplay; arrow: number }) {
  const { subscriptionId, workflowId } = of;
  return (
    <>
      {whatText(of)}
      {(subscriptionId ?? workflowId) !== undefined && (
        <ArrowRight
          size={arrow}
          strokeWidth={arrow > 14 ? 1.75 : 2}
          className={arrow > 12 ? 'shrink-0 text-text-3' : 'mx-1.5 inline shrink-0 text-text-3'}
          role="img"
          aria-label="to"
        />
      )}
      {subscriptionId !== undefined ? (
        <Name kind="subscription" id={subscriptionId} />
      ) : (
        workflowId !== undefined && <Name kind="workflow" id={workflowId} />
      )}
    </>
  );
}
