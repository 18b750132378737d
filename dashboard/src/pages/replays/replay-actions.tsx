import { Send } from 'lucide-react';
import { useState } from 'react';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Button } from '../../ui/button.tsx';
import { type AnyReplay, isOver } from './any-replay.ts';
import { RetryFailures } from './retry-failures.tsx';
import { useCancelReplay } from './use-replay.ts';

/** The actions of a replay: retry its failures, see what it has sent, and cancel it. */
export function ReplayActions({ of: replay }: { of: AnyReplay }) {
  const { may, app } = useHere();
  const { act } = useActs();
  const cancel = useCancelReplay();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <RetryFailures of={replay} />
      {replay.queued > 0 && !replay.isOfRuns && (
        <Button
          icon={Send}
          render={
            <HereLink to="/deliveries" search={{ replay: replay.id }}>
              View deliveries
            </HereLink>
          }
        >
          View deliveries
        </Button>
      )}
      {replay.queued > 0 && replay.isOfRuns && (
        <Button render={<HereLink to="/dead-letters" search={{ status: 'replayed', kind: 'run' }} />}>
          View replayed dead letters
        </Button>
      )}
      {may('developer') && !isOver(replay) && (
        <Button look="danger" onClick={() => setIsAsking(true)}>
          Cancel replay
        </Button>
      )}
      {isAsking && (
        <Confirm
          title="Cancel this replay?"
          go="Cancel replay"
          cancel="Keep replay"
          isDanger
          typed={app.name}
          onClose={() => setIsAsking(false)}
          onGo={() => void act(() => cancel(replay.id), { told: 'Replay cancelled' })}
        >
          What was sent so far stays sent. The rest isn't sent again.
        </Confirm>
      )}
    </>
  );
}
