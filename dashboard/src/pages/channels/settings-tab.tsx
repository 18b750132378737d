import { useState } from 'react';
import { api, type Channel } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { NewerNote } from '../../parts/newer-note.tsx';
import { isAtField, problemOf } from '../../parts/problem-of.ts';
import { useRequestDialog } from '../../parts/request-dialog.tsx';
import { useEdits } from '../../parts/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/callout.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';

const fieldsOf = (channel: Channel) => ({
  name: channel.name,
  description: channel.description ?? '',
  retentionDays: String(channel.retentionDays),
});
const NAMES = { name: 'Name', description: 'Description', retentionDays: 'Retention' } as const;

/** Name, description and retention of a channel. */
export function ChannelSettingsTab({ of: row }: { of: Channel }) {
  const { at } = useHere();
  const refresh = useRefresh();
  const edits = useEdits(fieldsOf(row), `channel ${row.id}`);
  const { values, written } = edits;
  const [error, setError] = useState<unknown>();
  const isChanged = Object.keys(written).length > 0;
  const field = (name: keyof typeof values) => ({
    label: NAMES[name],
    value: values[name],
    onChange: (value: string) => edits.write({ [name]: value }),
    error: problemOf(error, name),
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
      read: async () => fieldsOf(await api.channels.get(row.id, at)),
      send: async () => fieldsOf(await api.channels.update(row.id, changed, at)),
      refresh,
      onFailure: setError,
    });
  };
  const request = useRequestDialog(save);
  const days = Number(values.retentionDays);
  return (
    <form
      className="flex max-w-140 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextField {...field('name')} isRequired />
      <TextArea {...field('description')} placeholder="None" rows={3} />
      <TextField {...field('retentionDays')} type="number" inputMode="numeric" after="days" isRequired />
      {written.retentionDays !== undefined && days > 0 && days < row.retentionDays && (
        <Note kind="warning">
          Saving deletes the messages that are older than this, with their deliveries and dead letters.
        </Note>
      )}
      <NewerNote edits={edits} at={row.updatedAt} names={NAMES} />
      {!isAtField(error, Object.keys(NAMES)) && <FailureNote error={error} />}
      <div className="sticky bottom-0 -mx-2 flex flex-wrap justify-end gap-2 border-t border-line bg-surface px-2 py-3">
        {isChanged && request.button}
        {isChanged && <Button onClick={edits.drop}>Discard changes</Button>}
        <Button look="primary" type="submit" isDisabled={!isChanged} why="Nothing has changed">
          Save
        </Button>
      </div>
      {request.dialog}
    </form>
  );
}
