import { useState } from 'react';
import { api, type Channel } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';

/** Name, description and time of keeping of a channel. */
export function ChannelSettings({ channel }: { channel: Channel }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [form, setForm] = useState({
    name: channel.name,
    description: channel.description ?? '',
    retentionDays: String(channel.retentionDays),
  });
  const [error, setError] = useState<unknown>();
  if (!may('developer')) return <NotAllowed isPart />;
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
    problem: problemOf(error, name),
  });
  const save = (): void => {
    setError(undefined);
    void act(
      async () => {
        await api.channels.update(
          channel.id,
          {
            name: form.name,
            description: form.description.trim() === '' ? null : form.description,
            retentionDays: Number(form.retentionDays),
          },
          at,
        );
        await refresh();
      },
      { told: t.common.saved, onFailure: setError },
    );
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextField label={t.common.name} {...field('name')} isRequired />
      <TextField label={t.schemas.description} {...field('description')} />
      <TextField
        label={t.schemas.retention}
        type="number"
        hint={t.schemas.retentionHint}
        {...field('retentionDays')}
        isRequired
      />
      <Failure error={error} />
      <div className="buttons">
        <button type="submit" className="button main">
          {t.common.save}
        </button>
      </div>
      <ShellButton />
    </form>
  );
}
