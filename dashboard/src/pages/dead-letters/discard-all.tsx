import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type CreateBulkDiscard, needsProof } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Ago } from '../../parts/moment.tsx';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Button } from '../../ui/button.tsx';
import { shortId } from '../../ui/copy.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SplitProgress } from '../../ui/split-progress.tsx';

/**
 * Counts the open dead letters that a filter matches and discards them all, 1,000 per request, until it is done or the
 * user stops it.
 */
export function DiscardAllDialog({ filter, onClose }: { filter: CreateBulkDiscard; onClose: () => void }) {
  const { at, path, app, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [done, setDone] = useState<number>();
  const [typed, setTyped] = useState('');
  const isStopped = useRef(false);
  useEffect(() => {
    isStopped.current = false;
    return () => void (isStopped.current = true);
  }, []);
  // Fixed when the dialog opens, so that later failures, which were not counted, are not discarded.
  const [until] = useState(() => filter.until ?? new Date().toISOString());
  const wanted = { ...filter, until };
  const preview = useQuery({
    queryKey: [path, 'discard-preview', wanted],
    queryFn: () => api.deadLetters.discardAll({ ...wanted, dryRun: true }, at),
    staleTime: 0,
    gcTime: 0,
    meta: { failure: 'own' },
  });
  const matched = preview.data?.matched ?? 0;
  // A dry run of a replay with the same filter counts them and names the oldest.
  const first = useQuery({
    queryKey: [path, 'discard-first', wanted],
    queryFn: async () => {
      const found = await api.deadLetters.replayAll({ ...wanted, dryRun: true }, at);
      return 'oldest' in found ? found.oldest : [];
    },
    staleTime: 0,
    gcTime: 0,
    meta: { failure: 'own' },
  });
  // Even the count needs a recently verified session, so ask the user at once instead of after a failure.
  const isUnproven = needsProof(preview.error);
  const isAsked = useRef(false);
  const recount = async (): Promise<void> => {
    await preview.refetch({ throwOnError: true });
    void first.refetch();
  };
  useEffect(() => {
    // During a refetch the count has no failure, so the user is asked only once.
    if (!isUnproven || isAsked.current) return;
    isAsked.current = true;
    void act(recount, { told: () => undefined, onFailure: () => undefined }).then((isDone) => isDone || onClose());
  });
  const discard = async (): Promise<void> => {
    setDone(0);
    let count = 0;
    for (let isLast = false; !isLast && !isStopped.current; ) {
      const { discarded, left } = await api.deadLetters.discardAll(wanted, at);
      count += discarded;
      setDone(count);
      isLast = left === 0 || discarded === 0;
    }
    await refresh();
    onClose();
  };
  const ask = (): void =>
    void act(discard, {
      told: () => (isStopped.current ? undefined : `${counted(matched, 'dead letter')} discarded`),
    }).then((isDone) => isDone || onClose());
  const request = useRequestToggle(() => api.deadLetters.discardAll(wanted, at));
  const isLive = environment === 'live';
  if (done !== undefined) {
    const text = `${done.toLocaleString('en-US')} of ${matched.toLocaleString('en-US')} discarded`;
    return (
      <Dialog
        title="Discarding dead letters"
        environment={environment}
        onClose={onClose}
        actions={<Button onClick={onClose}>Stop</Button>}
      >
        <p role="status" className="tabular-nums">
          {text}
        </p>
        <SplitProgress label={text} whole={matched} parts={[{ tone: 'running', value: done }]} />
      </Dialog>
    );
  }
  return (
    <Dialog
      title={
        preview.data === undefined ? 'Discard matching dead letters?' : `Discard ${counted(matched, 'dead letter')}?`
      }
      environment={environment}
      description="Nothing is sent. Discarded dead letters stay visible but can't be replayed."
      onClose={onClose}
      onSubmit={ask}
      actions={
        <>
          {matched > 0 && request.button}
          <DialogButtons
            go={matched === 0 ? 'Discard' : `Discard ${matched.toLocaleString('en-US')}`}
            isDanger
            isDisabled={matched === 0 || (isLive && typed !== app.name)}
            onCancel={onClose}
          />
        </>
      }
    >
      {preview.isPending && <Skeleton label="Counting" />}
      <FailureNote error={isUnproven ? null : (preview.error ?? first.error)} onRetry={() => void preview.refetch()} />
      {preview.data !== undefined && matched === 0 && <p>Nothing matches.</p>}
      {matched > 0 && (first.data ?? []).length > 0 && (
        <div>
          <h3 className="mb-1 text-12 font-medium text-text-2">Oldest</h3>
          <ul className="rounded-8 border border-line">
            {first.data?.map(({ id, failedAt, eventType }) => (
              <li key={id} className="flex h-7.5 items-center gap-2.5 border-line px-2.5 not-last:border-b">
                <span className="mono text-text-2">{shortId(id)}</span>
                <span className="grow truncate">{eventType}</span>
                <span className="text-12 text-text-3">
                  <Ago at={failedAt} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {/* Many things have no name, so the name of the app is typed instead. */}
      {matched > 0 && isLive && (
        <TextField label={`Type ${app.name} to confirm`} value={typed} onChange={setTyped} hasFocus />
      )}
      {request.lines}
    </Dialog>
  );
}
