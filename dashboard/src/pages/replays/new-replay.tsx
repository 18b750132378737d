import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FoundSelectField } from '../../parts/found-select.tsx';
import { useSubscriptions } from '../../parts/use-names.ts';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { ReplaySince } from './replay-since.tsx';

/** Asks to which subscription messages are to be sent again, then for which time range. */
export function NewReplay({ onClose }: { onClose: () => void }) {
  const { at, path, environment } = useHere();
  const subscriptions = useSubscriptions();
  const [id, setId] = useState('');
  const [isChosen, setIsChosen] = useState(false);
  const chosen = useQuery({
    queryKey: [path, 'subscription', id],
    queryFn: () => api.subscriptions.get(id, at),
    enabled: id !== '',
    meta: { failure: 'own' },
  });
  if (isChosen && chosen.data?.id === id) return <ReplaySince subscription={chosen.data} onClose={onClose} />;
  return (
    <Dialog
      title="Replay messages"
      environment={environment}
      description="Sends stored messages of a channel to one of its subscriptions again. Dead letters are replayed on their own page."
      onClose={onClose}
      onSubmit={() => setIsChosen(true)}
      actions={<DialogButtons go="Continue" onCancel={onClose} isDisabled={id === ''} />}
    >
      <FoundSelectField
        kind="subscription"
        label="Subscription"
        known={subscriptions.choices}
        isMore={subscriptions.isFull}
        isPending={subscriptions.isPending}
        value={id}
        onChange={setId}
        placeholder="Choose a subscription"
      />
      <FailureNote error={subscriptions.error ?? chosen.error} />
    </Dialog>
  );
}
