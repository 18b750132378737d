import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { askTogether } from '../lib/ask-together.ts';
import { useHere, useSession } from '../lib/session.ts';
import { shortId } from '../ui/copy.tsx';
import { useDoers } from './use-doers.ts';

/** Kinds of those who act, by the prefix of their IDs. */
const KINDS: Readonly<Record<string, string>> = { key: 'API key', oac: 'Machine credential', usr: 'Person' };

/** Who has done something: a person by name, while a member of the organisation, a key or credential by kind and name. */
export function Doer({ id }: { id: string }) {
  const { user } = useSession();
  const { organisation } = useHere();
  const prefix = id.split('_')[0] ?? '';
  const isPerson = prefix === 'usr';
  const credentials = useDoers();
  const member = useQuery({
    queryKey: ['members', organisation.id, 'name', id],
    queryFn: () =>
      askTogether(`members ${organisation.id}`, id, async (userIds) => {
        const { data } = await api.members.list(organisation.id, { userIds, limit: 100 }).page();
        return new Map(data.map(({ userId, name }) => [userId, name]));
      }),
    staleTime: 60_000,
    enabled: isPerson && id !== user.id,
  });
  if (id === user.id) return <span title={id}>{user.name} (you)</span>;
  const name = (isPerson ? member.data : undefined) ?? credentials.find(([each]) => each === id)?.[1];
  if (isPerson && name !== undefined) return <span title={id}>{name}</span>;
  return (
    <span title={id}>
      {KINDS[prefix]} {name ?? <span className="mono">{shortId(id)}</span>}
    </span>
  );
}
