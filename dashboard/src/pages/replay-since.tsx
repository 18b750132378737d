import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { api, type Subscription } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { timeOfText, timeText, type Zone, ZoneContext } from '../lib/times.ts';
import { useActs } from '../parts/acts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Check, problemOf, TextField } from '../parts/field.tsx';
import { FirstOfMany } from '../parts/first-of-many.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { useGo } from '../parts/link.tsx';
import { TimeField } from '../parts/time-field.tsx';
import { useTypedName } from '../parts/typed-name.tsx';
import { useSettled } from '../parts/use-found.ts';

const listOf = (text: string): string[] => text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));

const anHourAgo = (zone: Zone): string => timeText(new Date(Date.now() - 3_600_000).toISOString(), zone);

/** Asks from when on a subscription is to get its messages again. */
export function ReplaySince({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const t = useTexts();
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const zone = useContext(ZoneContext);
  const [form, setForm] = useState({ since: anHourAgo(zone), until: '', eventTypes: '', rate: '100' });
  const [onlyMissing, setOnlyMissing] = useState(true);
  const typed = useTypedName(environment === 'live' ? subscription.name : undefined);
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
  });
  const since = timeOfText(form.since, zone);
  const until = timeOfText(form.until, zone);
  const chosen = { since: since ?? '', until, eventTypes: listOf(form.eventTypes), onlyMissing };
  // Each key of a year that is typed makes another time: the service is asked once about the one that is meant.
  const written = `${form.since} ${form.until} ${form.eventTypes}`;
  const isSettled = useSettled(written) === written;
  // The service counts by its own choice, as the replay would take them now.
  const counted = useQuery({
    queryKey: [path, 'replay-preview', subscription.id, chosen],
    queryFn: async () => {
      const found = await api.subscriptions.replay(subscription.id, { ...chosen, dryRun: true }, at);
      return 'isComplete' in found ? found : null;
    },
    // A time that is being written is none yet.
    enabled: isSettled && since !== undefined && (until !== undefined || form.until === ''),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const ask = (): void => {
    setError(undefined);
    const wanted = { ...chosen, ratePerSecond: Number(form.rate) };
    void act(
      async () => {
        const made = await api.subscriptions.replay(subscription.id, wanted, at);
        onClose();
        await refresh();
        go('/replays', 'id' in made ? { tab: 'messages', open: made.id } : { tab: 'messages' });
      },
      { told: t.deadLetters.replayAsked, onFailure: setError },
    );
  };
  return (
    <Dialog title={t.replays.since(subscription.name)} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <p className="muted">{t.replays.sinceWhy}</p>
        <TimeField label={t.replays.from} {...field('since')} problem={problemOf(error, 'since')} isRequired hasFocus />
        <TimeField
          label={t.replays.to}
          {...field('until')}
          hint={t.replays.toHint}
          problem={problemOf(error, 'until')}
        />
        <TextField
          label={t.subscriptions.types}
          {...field('eventTypes')}
          hint={t.subscriptions.typesHint}
          problem={problemOf(error, 'eventTypes')}
          isCode
        />
        <TextField
          label={t.replays.rate}
          type="number"
          {...field('rate')}
          problem={problemOf(error, 'ratePerSecond')}
        />
        <Check label={t.replays.onlyMissing} isOn={onlyMissing} onChange={setOnlyMissing} />
        <Failure error={counted.error} />
        {counted.data != null && (
          <>
            <p aria-live="polite">{t.replays.wouldReplay(counted.data.matched, !counted.data.isComplete)}</p>
            <FirstOfMany
              title={t.deadLetters.oldest}
              rows={counted.data.oldest.map(({ publishedAt, ...row }) => ({ ...row, at: publishedAt }))}
              matched={counted.data.isComplete ? counted.data.matched : undefined}
            />
          </>
        )}
        <Failure error={error} />
        {typed.field}
        <FormButtons go={t.replays.ask} onCancel={onClose} isDisabled={!typed.isTyped} />
      </form>
    </Dialog>
  );
}
