import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useGo } from '../../parts/link.tsx';
import { NoAccess } from '../../parts/no-access.tsx';
import { isAtField, problemOf } from '../../parts/problem-of.ts';
import { useRequestDialog } from '../../parts/request-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Drawer } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { ChannelsPage } from './channels.tsx';
import { usePageTitle } from '../../shell/use-page-title.ts';

const TITLE = 'Create channel';

/** Creates a channel, in a drawer over the list. */
export function NewChannelPage() {
  const { may } = useHere();
  usePageTitle(TITLE);
  if (!may('developer')) return <NoAccess title={TITLE} role="developer" />;
  return (
    <>
      <ChannelsPage />
      <ChannelDrawer />
    </>
  );
}

function ChannelDrawer() {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [form, setForm] = useState({ name: '', description: '', retentionDays: '' });
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
    error: problemOf(error, name),
  });
  const create = (): void => {
    setError(undefined);
    const { name, description, retentionDays } = form;
    void act(
      async () => {
        const { id } = await api.channels.create(
          {
            name,
            ...(description.trim() !== '' && { description }),
            ...(retentionDays !== '' && { retentionDays: Number(retentionDays) }),
          },
          at,
        );
        await refresh();
        go(`/channels/${id}`);
      },
      { onFailure: setError },
    );
  };
  const request = useRequestDialog(create);
  const close = (): void => go('/channels');
  return (
    <Drawer
      title={TITLE}
      environment={environment}
      onClose={close}
      onSubmit={create}
      actions={
        <>
          {request.button}
          <CancelButton />
          <Button look="primary" type="submit">
            {TITLE}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <TextField label="Name" placeholder="orders" {...field('name')} isRequired hasFocus />
        <TextArea label="Description" placeholder="None" rows={3} {...field('description')} />
        <TextField
          label="Retention"
          type="number"
          inputMode="numeric"
          placeholder="Default of this app"
          after="days"
          hint="Older messages are deleted, with their deliveries and dead letters"
          {...field('retentionDays')}
        />
        {!isAtField(error, Object.keys(form)) && <FailureNote error={error} />}
      </div>
      {request.dialog}
    </Drawer>
  );
}
