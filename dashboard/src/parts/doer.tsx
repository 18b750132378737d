import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';

/** Kinds of those who act, by the prefix of their ids. */
const KINDS = { key: 'apiKey', oac: 'machineCredential', usr: 'person' } as const;

/** Who has done something: a person by name, as far as the first hundred of the organisation are, and others by kind and id. */
export function Doer({ id }: { id: string }) {
  const t = useTexts();
  const { user } = useSession();
  const { organisation } = useHere();
  const isPerson = id.startsWith('usr_');
  const members = useQuery({
    queryKey: ['members', organisation.id],
    queryFn: async () => (await api.members.list(organisation.id, { limit: 100 }).page()).data,
    staleTime: 60_000,
    enabled: isPerson && id !== user.id,
  });
  if (id === user.id) return <span title={id}>{`${user.name} ${t.members.you}`}</span>;
  const name = members.data?.find(({ userId }) => userId === id)?.name;
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
