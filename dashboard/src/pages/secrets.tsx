import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type WorkflowSecret } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Code } from '../parts/code.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { Filters } from '../parts/filters.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { nameFilter } from '../parts/named-filter.ts';
import { NoneMatch } from '../parts/none-match.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { Views } from '../parts/views.tsx';

const idOf = ({ id }: WorkflowSecret): string => id;

/** Texts that workflows send and nobody sees again. */
export function SecretsPage() {
  const t = useTexts();
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const [isMaking, setIsMaking] = useState(false);
  if (!may('admin')) return <NotAllowed />;
  const columns: readonly Column<WorkflowSecret>[] = [
    { head: t.common.name, width: 'minmax(160px, 1fr)', cell: (row) => <span className="mono">{row.name}</span> },
    { head: t.fields.changed, width: '200px', cell: (row) => <Time at={row.updatedAt} /> },
    {
      head: t.credentials.lastUsed,
      width: '200px',
      cell: (row) => (row.lastUsedAt === undefined ? t.credentials.never : <Time at={row.lastUsedAt} />),
    },
  ];
  const { name } = search;
  const make = (
    <button type="button" className="button main" onClick={() => setIsMaking(true)}>
      {t.secrets.make}
    </button>
  );
  return (
    <>
      <Heading title={t.nav.names.secrets}>{make}</Heading>
      <Views page="secrets" filters={['name']} own={[]} />
      <Filters filters={[nameFilter(t.common.name)]} />
      <LiveList
        name={t.nav.names.secrets}
        listKey={[path, 'secrets', name]}
        fetch={(cursor) => api.secrets.list({ name, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'secrets', path: '/v1/secrets', query: () => ({ name }), at }}
        columns={columns}
        empty={
          name === undefined ? (
            <Empty title={t.secrets.none}>
              <p>{t.secrets.noneWhy}</p>
              {make}
            </Empty>
          ) : (
            <NoneMatch filters={['name']} />
          )
        }
        panel={(id) => <SecretView id={id} />}
      />
      {isMaking && <SecretDialog onClose={() => setIsMaking(false)} />}
    </>
  );
}

function SecretView({ id }: { id: string }) {
  const t = useTexts();
  const { at, path, environment } = useHere();
  const [isChanging, setIsChanging] = useState(false);
  const found = useQuery({ queryKey: [path, 'secret', id], queryFn: () => api.secrets.get(id, at) });
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  return (
    <>
      <h2 className="mono">{row.name}</h2>
      <div className="buttons">
        <button type="button" className="button" onClick={() => setIsChanging(true)}>
          {t.secrets.change}
        </button>
        <DeleteButton
          title={t.secrets.deleteTitle(row.name)}
          why={t.secrets.deleteWhy}
          typed={environment === 'live' ? row.name : undefined}
          what={() => api.secrets.delete(id, at)}
          to="/secrets"
        />
      </div>
      <p className="muted">{t.secrets.use}</p>
      <Code text={`{{ secrets.${row.name} }}`} label={t.secrets.use} />
      <dl className="facts">
        <dt>{t.fields.id}</dt>
        <dd className="mono">{row.id}</dd>
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
        <dt>{t.fields.changed}</dt>
        <dd>
          <Time at={row.updatedAt} />
        </dd>
        <dt>{t.credentials.lastUsed}</dt>
        <dd>{row.lastUsedAt === undefined ? t.credentials.never : <Time at={row.lastUsedAt} />}</dd>
      </dl>
      {isChanging && <SecretDialog secret={row} onClose={() => setIsChanging(false)} />}
    </>
  );
}

/** Takes the value of a new secret, or another one for a secret that is there. */
function SecretDialog({ secret, onClose }: { secret?: WorkflowSecret; onClose: () => void }) {
  const t = useTexts();
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [name, setName] = useState(secret?.name ?? '');
  const [value, setValue] = useState('');
  const [error, setError] = useState<unknown>();
  return (
    <Dialog title={secret === undefined ? t.secrets.make : t.secrets.change} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void act(
            async () => {
              await (secret === undefined
                ? api.secrets.create({ name, value }, at)
                : api.secrets.update(secret.id, { value }, at));
              onClose();
              await refresh();
            },
            { told: t.common.saved, onFailure: setError },
          );
        }}
      >
        {secret === undefined && (
          <TextField
            label={t.common.name}
            value={name}
            onChange={setName}
            hint={t.secrets.nameHint}
            problem={problemOf(error, 'name')}
            isRequired
            isCode
            hasFocus
          />
        )}
        <TextField
          label={t.secrets.value}
          value={value}
          onChange={setValue}
          type="password"
          autoComplete="new-password"
          hint={t.secrets.valueHint}
          problem={problemOf(error, 'value')}
          isRequired
          hasFocus={secret !== undefined}
        />
        <Failure error={error} />
        <FormButtons go={t.common.save} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
