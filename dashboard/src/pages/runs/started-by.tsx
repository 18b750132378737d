import type { Run } from '../../api/client.ts';
import { HereLink } from '../../parts/link.tsx';
import { namedId } from '../../ui/copy.tsx';
import { useTriggerMessage } from './use-run.ts';

const LINK = 'text-accent hover:underline';

/** What started the run, with a link to it. */
export function StartedBy({ run: { trigger } }: { run: Run }) {
  const message = useTriggerMessage(trigger.messageId);
  if (trigger.messageId !== undefined)
    return (
      <span>
        started by{' '}
        <HereLink to={`/messages/${trigger.messageId}`} className={LINK}>
          <span className="mono">{message.data?.data.eventType ?? namedId(trigger.messageId)}</span>
        </HereLink>
        {trigger.type === 'webhook' && ' of an inbound webhook'}
      </span>
    );
  if (trigger.runId !== undefined)
    return (
      <span>
        started by{' '}
        <HereLink
          to={`/runs/${trigger.runId}`}
          search={trigger.stepId === undefined ? {} : { step: trigger.stepId }}
          className={LINK}
        >
          another run
        </HereLink>
      </span>
    );
  return trigger.type === 'schedule' ? 'started by its schedule' : 'started manually';
}
