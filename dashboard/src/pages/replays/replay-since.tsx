import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Subscription } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useZoneName } from '../../lib/times.ts';
import { timeOfText, timeText, type Zone } from '../../lib/zone-times.ts';
import { counted as countedText } from '../../lib/words.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useGo } from '../../parts/link.tsx';
import { Ago, useZone } from '../../parts/moment.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { TargetWarning } from '../../parts/target-warning.tsx';
import { useSettled } from '../../parts/use-found.ts';
import { shortId } from '../../ui/copy.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';

const listOf = (text: string): string[] => text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));

const anHourAgo = (zone: Zone): string => timeText(new Date(Date.now() - 3_600_000).toISOString(), zone);

/** Asks for which time range a subscription gets its messages again, counts them, and opens the progress page. */
export function ReplaySince({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const zone = useZone();
  const zoneName = useZoneName();
  const [form, setForm] = useState({ since: anHourAgo(zone), until: '', eventTypes: '', rate: '100' });
  const [onlyMissing, setOnlyMissing] = useState(true);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form, problem: string) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
    error: problemOf(error, problem),
  });
  const since = timeOfText(form.since, zone);
  const until = timeOfText(form.until, zone);
  const chosen = { since: since ?? '', until, eventTypes: listOf(form.eventTypes), onlyMissing };
  // Each digit of a year that is typed makes another time, so wait before asking the API.
  const written = `${form.since} ${form.until} ${form.eventTypes}`;
  const isSettled = useSettled(written) === written;
  const counted = useQuery({
    queryKey: [path, 'replay-preview', subscription.id, chosen],
    queryFn: async () => {
      const found = await api.subscriptions.replay(subscription.id, { ...chosen, dryRun: true }, at);
      return 'isExact' in found ? found : null;
    },
    // A time that is being typed does not count yet.
    enabled: isSettled && since !== undefined && (until !== undefined || form.until === ''),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    meta: { failure: 'own' },
  });
  const ask = (): void => {
    setError(undefined);
    void act(
      async () => {
        const made = await api.subscriptions.replay(
          subscription.id,
          { ...chosen, ratePerSecond: Number(form.rate) },
          at,
        );
        onClose();
        await refresh();
        go('id' in made ? `/replays/${made.id}` : '/replays');
      },
      { told: 'Replay started', onFailure: setError },
    );
  };
  const request = useRequestToggle(ask);
  const isLive = environment === 'live';
  const found = counted.data ?? undefined;
  const number = found && `${found.matched.toLocaleString('en-US')}${found.isExact ? '' : '+'}`;
  return (
    <Dialog
      title={`Replay to ${subscription.name}`}
      environment={environment}
      description="Sends matching messages again, oldest first, with the current settings."
      onClose={onClose}
      onSubmit={ask}
      actions={
        <>
          {request.button}
          <DialogButtons
            go={number === undefined || number === '0' ? 'Replay' : `Replay ${number}`}
            onCancel={onClose}
            isDisabled={isLive && typed !== subscription.name}
          />
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <TextField
          label={`From (${zoneName})`}
          type="datetime-local"
          step={1}
          {...field('since', 'since')}
          isRequired
          hasFocus
        />
        <TextField
          label={`Until (${zoneName})`}
          type="datetime-local"
          step={1}
          hint="Now, if empty"
          {...field('until', 'until')}
        />
      </div>
      <TextField
        label="Event types"
        placeholder="All event types"
        hint="order.* matches every type that starts with order."
        {...field('eventTypes', 'eventTypes')}
        isMono
      />
      <TextField label="Rate limit" inputMode="numeric" after="per second" {...field('rate', 'ratePerSecond')} />
      <Checkbox
        label="Only messages never delivered to this subscription"
        isOn={onlyMissing}
        onChange={setOnlyMissing}
      />
      <TargetWarning of={{ subscriptionId: subscription.id }} />
      <FailureNote error={counted.error} onRetry={() => void counted.refetch()} />
      {found !== undefined && (
        <div>
          <p aria-live="polite">
            {found.isExact ? '' : 'At least '}
            {countedText(found.matched, 'message')} will be sent
          </p>
          {found.oldest.length > 0 && (
            <ul aria-label="Oldest" className="mt-2 rounded-8 border border-line">
              {found.oldest.map(({ id, eventType, publishedAt }) => (
                <li key={id} className="flex h-7.5 items-center gap-2.5 border-line px-2.5 not-last:border-b">
                  <span className="mono text-text-2">{shortId(id)}</span>
                  <span className="mono grow truncate">{eventType}</span>
                  <span className="text-12 text-text-3">
                    <Ago at={publishedAt} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <FailureNote error={error} />
      {isLive && <TextField label={`Type ${subscription.name} to confirm`} value={typed} onChange={setTyped} />}
      {request.lines}
    </Dialog>
  );
}
