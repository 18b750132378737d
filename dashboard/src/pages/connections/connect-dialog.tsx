import { useState } from 'react';
import { api, type Connection, type ConnectorDetail } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useGo } from '../../parts/link.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { CredentialFields } from './credential-fields.tsx';

type Given = {
  connector: ConnectorDetail;
  /** The connection that gets new credentials. If absent, a new one is created. */
  connection?: Connection;
  onClose: () => void;
};

/** Asks for the credentials of a service. They are never shown again. */
export function ConnectDialog({ connector, connection, onClose }: Given) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [name, setName] = useState(connection?.name ?? connector.name);
  const [isShared, setIsShared] = useState(connection?.shared ?? false);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [error, setError] = useState<unknown>();
  const isNew = connection === undefined;
  const save = (): void => {
    setError(undefined);
    const credentials = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    void act(
      async () => {
        const common = { name, shared: isShared };
        const { id } = isNew
          ? await api.connections.create({ ...common, connectorId: connector.id, credentials }, at)
          : await api.connections.update(
              connection.id,
              { ...common, ...(Object.keys(credentials).length > 0 && { credentials }) },
              at,
            );
        onClose();
        await refresh();
        go('/connections', { open: id });
      },
      { told: isNew ? `Connected to ${connector.name}` : 'Connection saved', onFailure: setError },
    );
  };
  const request = useRequestToggle(save);
  const hasFieldError = ['name', 'credentials'].some((field) => problemOf(error, field) !== undefined);
  const schema = connector.credentials ?? {};
  return (
    <Dialog
      title={isNew ? `Connect ${connector.name}` : `Edit ${connection.name}`}
      environment={environment}
      description={
        isNew
          ? 'Credentials are stored encrypted and never shown again.'
          : 'Leave the credentials empty to keep them. They are replaced together.'
      }
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          {request.button}
          <DialogButtons go={isNew ? 'Connect' : 'Save'} onCancel={onClose} />
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} error={problemOf(error, 'name')} isRequired hasFocus />
      <CredentialFields
        schema={isNew ? schema : { ...schema, required: [] }}
        values={values}
        onChange={setValues}
        errorOf={(field) => problemOf(error, `credentials.${field}`)}
      />
      <Checkbox
        label={`Share with ${environment === 'live' ? 'Test' : 'Live'}`}
        isOn={isShared}
        onChange={setIsShared}
      />
      {!hasFieldError && <FailureNote error={error} />}
      {request.lines}
    </Dialog>
  );
}
