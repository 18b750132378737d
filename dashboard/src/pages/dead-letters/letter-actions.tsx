import { FileText, History, ListChecks, Send, Split, Trash2, Workflow } from 'lucide-react';
import type { DeadLetter } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { HereLink } from '../../parts/link.tsx';
import { Button } from '../../ui/button.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import type { useDeadLetter } from './use-dead-letter.ts';

/** The actions of a dead letter, and links to its source. */
export function LetterActions({
  of,
  acts: { canAct, replay, discard },
}: {
  of: DeadLetter;
  acts: Pick<ReturnType<typeof useDeadLetter>, 'canAct' | 'replay' | 'discard'>;
}) {
  const { may } = useHere();
  return (
    <>
      {may('developer') && of.status === 'open' && (
        <>
          <Button look="primary" icon={History} keys="R" isDisabled={!canAct} onClick={replay}>
            Replay
          </Button>
          <Button look="danger" icon={Trash2} isDisabled={!canAct} onClick={discard}>
            Discard
          </Button>
        </>
      )}
      <MoreMenu
        groups={[
          {
            items: [
              of.deliveryId !== undefined && {
                label: 'View delivery',
                icon: Send,
                render: <HereLink to={`/deliveries/${of.deliveryId}`} />,
              },
              of.runId !== undefined && {
                label: 'View run',
                icon: ListChecks,
                render: <HereLink to={`/runs/${of.runId}`} search={runSearchOf(of)} />,
              },
              of.messageId !== undefined && {
                label: 'View message',
                icon: FileText,
                render: <HereLink to={`/messages/${of.messageId}`} />,
              },
              of.subscriptionId !== undefined && {
                label: 'View subscription',
                icon: Split,
                render: <HereLink to={`/subscriptions/${of.subscriptionId}`} />,
              },
              of.workflowId !== undefined && {
                label: 'View workflow',
                icon: Workflow,
                render: <HereLink to={`/workflows/${of.workflowId}`} />,
              },
            ],
          },
        ]}
      />
    </>
  );
}

/** The failed step, as the run page has it in its address. */
export const runSearchOf = ({ stepId }: DeadLetter) => (stepId === undefined ? {} : { step: stepId });
