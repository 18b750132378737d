import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { askTogether } from '../lib/ask-together.ts';
import { useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';

/** Kinds of those who act, by the prefix of their ids. */
const KINDS = { key: 'apiKey', oac: 'machineCredential', usr: 'person' } as const;

/** Who has done something: a person by name, while a member of the organisation, and others by kind and id. */
export function Doer({ id }: { id: string }) {
  const t = useTexts();
  const { user } = useSession();
  const { organisation } = useHere();
  const isPerson = id.startsWith('usr_');
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
  if (id === user.id) return <span title={id}>{`${user.name} ${t.members.you}`}</span>;
  const name = member.data ?? undefined;
  if (name !== undefined) return <span title={id}>{name}</span>;
  // `as`: an id of a kind that is not here is shown alone.
  const kind = KINDS[id.split('_')[0] as keyof typeof KINDS] as (typeof KINDS)[keyof typeof KINDS] | undefined;
  return (
    <span title={id}>
      {kind !== undefined && `${t.audit.actors[kind]} `}
      <span className="mono">{id}</span>
    </span>
  );
}
