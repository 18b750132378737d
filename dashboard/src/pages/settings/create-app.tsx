import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type Organisation, useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { isAtField, problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select.tsx';

/** Creates an app in one of the organisations where the user may do so. */
export function CreateApp({ among, onClose }: { among: readonly Organisation[]; onClose: () => void }) {
  const { act } = useActs();
  const { organisation } = useHere();
  const client = useQueryClient();
  const [form, setForm] = useState({ name: '', slug: '', description: '' });
  const first = among.find(({ id }) => id === organisation.id) ?? among[0];
  const [organisationId, setOrganisationId] = useState(first?.id ?? '');
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
    error: problemOf(error, name),
  });
  const create = (): void => {
    setError(undefined);
    const { name, slug, description } = form;
    void act(
      async () => {
        await api.apps.create(
          { name, ...(slug !== '' && { slug }), ...(description !== '' && { description }) },
          { place: { organisationId } },
        );
        onClose();
        await client.invalidateQueries({ queryKey: ['session'] });
        await client.invalidateQueries({ queryKey: ['apps'] });
      },
      { told: 'App created', onFailure: setError },
    );
  };
  const request = useRequestToggle(create);
  return (
    <Dialog
      title="Create app"
      onClose={onClose}
      onSubmit={create}
      actions={
        <>
          {request.button}
          <DialogButtons go="Create app" onCancel={onClose} />
        </>
      }
    >
      {among.length > 1 && (
        <SelectField
          label="Organisation"
          value={organisationId}
          onChange={setOrganisationId}
          options={among.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <TextField label="Name" placeholder="Storefront" {...field('name')} isRequired hasFocus />
      <TextField
        label="Slug"
        placeholder="From the name"
        hint="Used in URLs and by the CLI: a–z, 0–9 and hyphens"
        {...field('slug')}
        isMono
      />
      <TextField label="Description" placeholder="None" {...field('description')} />
      {!isAtField(error, Object.keys(form)) && <FailureNote error={error} />}
      {request.lines}
    </Dialog>
  );
}
