import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2, Workflow } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeLines } from '../../ui/code-lines.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { useSecretUses } from './use-secret-uses.ts';

/** The panel of a secret: how to reference it in a step, and which workflows do so. Its value is never shown. */
export function SecretPanel({ id }: { id: string }) {
  const { at, path } = useHere();
  const { act } = useActs();
  const go = useGo();
  const refresh = useRefresh();
  const [asked, setAsked] = useState<'change' | 'delete'>();
  const found = useQuery({ queryKey: [path, 'secret', id], queryFn: () => api.secrets.get(id, at) });
  const usesOf = useSecretUses();
  if (found.data === undefined) return <NotRead of={found} />;
  const row = found.data;
  const uses = usesOf(row.name);
  const remove = async (): Promise<void> => {
    await api.secrets.delete(id, at);
    go('/secrets');
    await refresh();
  };
  return (
    <div className="flex flex-col gap-5">
      <h2 className="mono text-15 font-bold [overflow-wrap:anywhere]">{row.name}</h2>
      <div className="flex flex-wrap gap-2">
        <Button icon={Pencil} onClick={() => setAsked('change')}>
          Change value…
        </Button>
        <MoreMenu
          groups={[{ items: [{ label: 'Delete…', icon: Trash2, isDanger: true, onSelect: () => setAsked('delete') }] }]}
        />
      </div>
      <CodeLines title="Use it in a step" text={`{{ secrets.${row.name} }}`} />
      <Section title="Used by">
        {uses === undefined || uses.length === 0 ? (
          <p className="text-text-2">{uses === undefined ? 'Unknown' : 'Not used'}</p>
        ) : (
          <ul className="flex flex-col gap-1.5">
            {uses.map((use) => (
              <li key={use.id} className="flex items-center gap-1.5">
                <Icon of={Workflow} isSmall className="text-text-3" />
                <HereLink to={`/workflows/${use.id}`} className="truncate text-accent hover:underline">
                  {use.name}
                </HereLink>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Facts
        facts={[
          ['Last changed', <Ago key="changed" at={row.updatedAt} />],
          ['Last used', row.lastUsedAt === undefined ? 'Never' : <Ago key="used" at={row.lastUsedAt} />],
          ['Created', <Ago key="created" at={row.createdAt} />],
          ['ID', <CopyId key="id" id={row.id} isNamed />],
        ]}
      />
      {asked === 'change' && <SecretDialog secret={row} onClose={() => setAsked(undefined)} />}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${row.name}?`}
          go="Delete secret"
          isDanger
          typed={row.name}
          onClose={() => setAsked(undefined)}
          onGo={() => void act(remove, { told: 'Secret deleted' })}
        >
          Steps that use it fail from now on.
          {uses !== undefined && uses.length > 0 && ` Used by ${uses.map(({ name }) => name).join(', ')}.`}
        </Confirm>
      )}
    </div>
  );
}
