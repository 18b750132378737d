import { useState } from 'react';
import { api, type Channel } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { NewerState } from '../parts/newer-state.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { useEdits } from '../parts/use-edits.ts';

const fieldsOf = (channel: Channel) => ({
  name: channel.name,
  description: channel.description ?? '',
  retentionDays: String(channel.retentionDays),
});

/** Name, description and time of keeping of a channel. */
export function ChannelSettings({ channel }: { channel: Channel }) {
  const t = useTexts();
  const { at, may } = useHere();
  const refresh = useRefresh();
  const edits = useEdits(fieldsOf(channel));
  const { values, written } = edits;
  const [error, setError] = useState<unknown>();
  if (!may('developer')) return <NotAllowed isPart />;
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (value: string) => edits.write({ [name]: value }),
    problem: problemOf(error, name),
  });
  const changed = {
    ...(written.name !== undefined && { name: written.name }),
    ...(written.description !== undefined && {
      description: written.description.trim() === '' ? null : written.description,
    }),
    ...(written.retentionDays !== undefined && { retentionDays: Number(written.retentionDays) }),
  };
  const save = (): void => {
    setError(undefined);
    edits.save({
      read: async () => fieldsOf(await api.channels.get(channel.id, at)),
      send: async () => fieldsOf(await api.channels.update(channel.id, changed, at)),
      refresh,
      onFailure: setError,
    });
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
      <NewerState
        edits={edits}
        at={channel.updatedAt}
        names={{ name: t.common.name, description: t.schemas.description, retentionDays: t.schemas.retention }}
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
