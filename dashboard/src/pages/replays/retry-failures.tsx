import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api, type CreateBulkReplay } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/layout.tsx';
import { RetryAllDialog } from '../deliveries/retry-all.tsx';
import { type AnyReplay, isOver } from './any-replay.ts';
import { filterFacts } from './filter-words.tsx';
import { ReplayAllDialog } from './replay-all.tsx';

/**
 * Buttons that retry what a finished replay has left: its deliveries that have failed again, or the runs in its scope.
 */
export function RetryFailures({ of: replay }: { of: AnyReplay }) {
  return (
    <>
      {!replay.isOfRuns && <RetryFailedDeliveries of={replay} />}
      {replay.failedRuns !== undefined && <RetryFailedRuns of={replay} filter={replay.failedRuns} />}
    </>
  );
}

/** Exactly the deliveries of the replay that have failed again. */
function RetryFailedDeliveries({ of: replay }: { of: AnyReplay }) {
  const { at, path, may } = useHere();
  const isWanted = may('developer') && isOver(replay) && replay.outcome.failed > 0;
  const filter = { replayId: replay.id, status: 'failed' } as const;
  // Counted again when the outcome has changed, not periodically, because the count may examine many rows.
  const { data, error } = useQuery({
    queryKey: [path, 'retry-failures', replay.id, replay.outcome.failed],
    queryFn: () => api.deliveries.retryAll({ ...filter, dryRun: true }, at),
    enabled: isWanted,
  });
  const isMore = data?.isExact === false;
  const label =
    isWanted && data !== undefined && (data.matched > 0 || isMore)
      ? `Retry ${data.matched.toLocaleString('en-US')}${isMore ? '+' : ''} ${data.matched === 1 && !isMore ? 'failure' : 'failures'}…`
      : undefined;
  return (
    <Asking label={label} error={isWanted ? error : null} isMain>
      {(onClose) => (
        <RetryAllDialog filter={filter} onClose={onClose}>
          Exactly the deliveries that this replay was the last to queue and that have failed again, whatever the cause.
          Deliveries whose dead letter was discarded are skipped.
        </RetryAllDialog>
      )}
    </Asking>
  );
}

/** The runs in its scope that have failed since it began. Older releases do not count the outcome of runs. */
function RetryFailedRuns({ of: replay, filter }: { of: AnyReplay; filter: CreateBulkReplay }) {
  const { at, path, may } = useHere();
  const isWanted = may('developer') && isOver(replay) && replay.queued > 0;
  const { data, error } = useQuery({
    queryKey: [path, 'retry-failed-runs', filter, replay.outcome.failed],
    queryFn: () => api.deadLetters.replayAll({ ...filter, dryRun: true }, at),
    enabled: isWanted,
  });
  const count = data?.matched ?? 0;
  const label =
    isWanted && count > 0
      ? `Retry ${count.toLocaleString('en-US')} ${count === 1 ? 'failed run' : 'failed runs'}…`
      : undefined;
  return (
    <Asking label={label} error={isWanted ? error : null}>
      {(onClose) => (
        <ReplayAllDialog filter={filter} things={['failed run', 'failed runs']} onClose={onClose}>
          <p className="mb-2">
            All runs that have failed since this replay began, also those that started later. They are found by this
            filter:
          </p>
          <Facts facts={filterFacts({ filter, kind: 'dead-letters' })} />
        </ReplayAllDialog>
      )}
    </Asking>
  );
}

/** A button with its question. The question keeps its numbers even if other users retry some of the rows meanwhile. */
function Asking({
  label,
  error,
  isMain = false,
  children,
}: {
  /** Absent if there is nothing to retry. */
  label: string | undefined;
  error: unknown;
  isMain?: boolean;
  children: (onClose: () => void) => ReactNode;
}) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <FailureNote error={error} />
      {label !== undefined && (
        <Button look={isMain ? 'primary' : 'default'} icon={RotateCw} onClick={() => setIsAsking(true)}>
          {label}
        </Button>
      )}
      {isAsking && children(() => setIsAsking(false))}
    </>
  );
}
