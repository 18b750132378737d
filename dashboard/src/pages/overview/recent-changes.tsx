import { useQuery } from '@tanstack/react-query';
import { KeyRound, type LucideIcon, Pencil, Plus, Rocket, Trash2 } from 'lucide-react';
import { api, type AuditEntry } from '../../api/client.ts';
import { roughText } from '../../lib/format.ts';
import type { NamePair } from '../../lib/list-filter.ts';
import { useHere } from '../../lib/session.ts';
import { HereLink } from '../../parts/link.tsx';
import { useNow } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { namedKindOf } from '../../parts/thing-name.tsx';
import { useDoers } from '../../parts/use-doers.ts';
import { useNameQuestion } from '../../parts/use-found.ts';
import { useMarkers } from '../../parts/use-markers.ts';
import { shortId } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Actor } from '../../parts/actor.tsx';

const SHOWN = 6;
/** How many entries are read to find changes among them, because the log also contains sign-ins and tokens. */
const READ = 60;
/** Changes that affect how the environment works, by the kind of their target. */
const KINDS: Readonly<Record<string, string>> = {
  channel: 'Channel',
  subscription: 'Subscription',
  workflow: 'Workflow',
  webhook: 'Inbound webhook',
  connection: 'Connection',
  secret: 'Secret',
  mark: 'Deployment',
  api_key: 'API key',
  machine_credential: 'Machine credential',
  app: 'App',
  member: 'Member',
  invitation: 'Invitation',
};
/** How the names of other targets are loaded, by id prefix. `found`: by the search. */
const NAMED: Readonly<Record<string, 'mark' | 'found'>> = {
  mrk: 'mark',
  whk: 'found',
  cxn: 'found',
};

/** The latest changes of the environment for users who may read the audit log, otherwise its markers. */
export function RecentChanges() {
  const { may } = useHere();
  return may('admin') ? <Changes /> : <Deployments />;
}

function Changes() {
  const { organisation, path } = useHere();
  const doers = useDoers();
  const found = useQuery({
    queryKey: [path, 'recent-changes'],
    queryFn: async () =>
      (await api.audit.list({ limit: READ, changes: 'false' }, { place: { organisationId: organisation.id } }).page())
        .data,
    refetchInterval: 30_000,
  });
  const rows = (found.data ?? []).filter(({ action }) => isChange(action)).slice(0, SHOWN);
  return (
    <Section
      title="Recent changes"
      end={
        <HereLink to="/audit" className="text-accent hover:underline">
          Audit log
        </HereLink>
      }
    >
      {found.isPending ? (
        <Skeleton />
      ) : rows.length === 0 ? (
        <p className="text-text-2">No changes yet</p>
      ) : (
        <ul>
          {rows.map((row) => (
            <Line key={row.id} icon={iconOf(row.action)} at={row.at}>
              <Target of={row} doers={doers} />{' '}
              <span className="text-text-2">
                {verbOf(row.action)} by <Actor of={row} />
              </span>
            </Line>
          ))}
        </ul>
      )}
    </Section>
  );
}

const kindOf = (action: string): string | undefined => KINDS[action.split('.')[0] ?? ''];
/** Revealing a secret is in the log, but changes nothing. */
const isChange = (action: string): boolean => kindOf(action) !== undefined && !action.endsWith('viewed');
const verbOf = (action: string): string => (action.split('.')[1] ?? '').replaceAll('_', ' ');

const iconOf = (action: string): LucideIcon => {
  if (action.startsWith('mark.')) return Rocket;
  if (/secret|key|credential/.test(action)) return KeyRound;
  if (action.endsWith('created')) return Plus;
  return /deleted$|removed$|revoked$/.test(action) ? Trash2 : Pencil;
};

function Target({ of: { action, target }, doers }: { of: AuditEntry; doers: readonly NamePair[] }) {
  const kind = namedKindOf(target.id) ?? NAMED[target.id.split('_')[0] ?? ''];
  const known = doers.find(([id]) => id === target.id)?.[1];
  return (
    <span className="font-medium">
      {kindOf(action)}{' '}
      {action.endsWith('.deleted') ? (
        <ShortId of={target.id} />
      ) : kind === 'mark' ? (
        <DeploymentName id={target.id} />
      ) : kind === 'found' ? (
        <FoundName id={target.id} />
      ) : kind !== undefined ? (
        <Name kind={kind} id={target.id} />
      ) : (
        (known ?? <ShortId of={target.id} />)
      )}
    </span>
  );
}

const ShortId = ({ of: id }: { of: string }) => <span className="mono">{shortId(id)}</span>;

function DeploymentName({ id }: { id: string }) {
  const marks = useMarkers();
  return marks.find((mark) => mark.id === id)?.name ?? <ShortId of={id} />;
}

function FoundName({ id }: { id: string }) {
  const ask = useNameQuestion();
  const found = useQuery(ask('thing', id));
  return found.data?.find(([each]) => each === id)?.[1] ?? <ShortId of={id} />;
}

function Deployments() {
  const marks = useMarkers();
  return (
    <Section title="Deployments">
      {marks.length === 0 ? (
        <p className="text-text-2">No deployments yet</p>
      ) : (
        <ul>
          {marks.slice(0, SHOWN).map(({ id, at, name }) => (
            <Line key={id} icon={Rocket} at={at}>
              <span className="font-medium">{name}</span>
            </Line>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Line({ icon, at, children }: { icon: LucideIcon; at: string; children: React.ReactNode }) {
  const now = useNow();
  return (
    <li className="flex min-h-10 items-center gap-2.5 border-line not-last:border-b">
      <Icon of={icon} isSmall className="text-text-3" />
      <span className="min-w-0 grow truncate">{children}</span>
      <time dateTime={at} className="shrink-0 whitespace-nowrap text-text-3 tabular-nums">
        {roughText(now - Date.parse(at))}
      </time>
    </li>
  );
}
