import { useState } from 'react';
import { api, type Connection, type WholeConnector } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Check, problemOf, TextField } from '../parts/field.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { useGo } from '../parts/link.tsx';
import { SchemaFields } from '../parts/schema-fields.tsx';

type Given = {
  connector: WholeConnector;
  /** The connection that gets new credentials. Absent: a new one is made. */
  connection?: Connection;
  onClose: () => void;
};

/** Asks for what the service wants to know, and keeps it sealed: nobody sees it again. */
export function ConnectDialog({ connector, connection, onClose }: Given) {
  const t = useTexts();
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [name, setName] = useState(connection?.name ?? connector.name);
  const [isShared, setIsShared] = useState(connection?.shared ?? false);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [error, setError] = useState<unknown>();
  const title = connection === undefined ? t.connections.connect : t.connections.change;
  const save = (): void => {
    setError(undefined);
    const credentials = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    void act(
      async () => {
        const common = { name, shared: isShared };
        const { id } =
          connection === undefined
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
      { onFailure: setError },
    );
  };
  return (
    <Dialog title={`${title}: ${connector.name}`} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <p className="muted">{t.connections.sealed(environment)}</p>
        <TextField
          label={t.common.name}
          value={name}
          onChange={setName}
          problem={problemOf(error, 'name')}
          isRequired
          hasFocus
        />
        {connection !== undefined && <p className="muted">{t.connections.changeHint}</p>}
        <SchemaFields
          schema={connection === undefined ? (connector.credentials ?? {}) : { ...connector.credentials, required: [] }}
          values={values}
          onChange={setValues}
          problemOf={(field) => problemOf(error, `credentials.${field}`)}
        />
        <Check label={t.connections.share} isOn={isShared} onChange={setIsShared} />
        <Failure error={error} />
        <FormButtons go={connection === undefined ? t.connections.connect : t.common.save} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
