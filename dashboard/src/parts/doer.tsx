import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { askTogether } from '../lib/ask-together.ts';
import { useHere, useSession } from '../lib/session.ts';
import { shortId } from '../ui/copy.tsx';
import { useDoers } from './use-doers.ts';

/** Kinds of actors, by the prefix of their ids. */
const KINDS: Readonly<Record<string, string>> = { key: 'API key', oac: 'Machine credential', usr: 'Person' };

/** The actor of a change: a user by name, if a member of the organisation, and a key or credential by kind and name. */
export const Doer = ({ id }: { id: string }) => (id.startsWith('usr_') ? <Person id={id} /> : <Credential id={id} />);

function Person({ id }: { id: string }) {
  const { user } = useSession();
  const { organisation } = useHere();
  const member = useQuery({
    queryKey: ['members', organisation.id, 'name', id],
    queryFn: () =>
      askTogether(`members ${organisation.id}`, id, async (userIds) => {
        const { data } = await api.members.list(organisation.id, { userIds, limit: 100 }).page();
        return new Map(data.map(({ userId, name }) => [userId, name]));
      }),
    staleTime: 60_000,
    enabled: id !== user.id,
  });
  if (id === user.id) return <span title={id}>{user.name} (you)</span>;
  return <span title={id}>{member.data ?? <Unknown id={id} />}</span>;
}

function Credential({ id }: { id: string }) {
  const name = useDoers().find(([each]) => each === id)?.[1];
  return <span title={id}>{name === undefined ? <Unknown id={id} /> : `${kindOf(id)} ${name}`}</span>;
}

const kindOf = (id: string): string | undefined => KINDS[id.split('_')[0] ?? ''];

const Unknown = ({ id }: { id: string }) => (
  <>
    {kindOf(id)} <span className="mono">{shortId(id)}</span>
  </>
);
