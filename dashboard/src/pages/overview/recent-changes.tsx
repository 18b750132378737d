import { useQuery } from '@tanstack/react-query';
import { KeyRound, type LucideIcon, Pencil, Plus, Rocket, Trash2 } from 'lucide-react';
import { api, type AuditEntry } from '../../api/client.ts';
import { roughText } from '../../lib/format.ts';
import { useHere } from '../../lib/session.ts';
import { Doer } from '../../parts/doer.tsx';
import { HereLink } from '../../parts/link.tsx';
import { useNow } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { useMarks } from '../../parts/use-marks.ts';
import { shortId } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

const SHOWN = 6;
/** The log has sign-ins and tokens too: so many entries are read to find changes among them. */
const READ = 60;
/** What changes how the place works, by the kind of its target. */
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
const NAMED: Readonly<Record<string, 'channel' | 'subscription' | 'workflow'>> = {
  chn: 'channel',
  sub: 'subscription',
  wfl: 'workflow',
};

/** The latest changes of the place, for those who may read the audit log, and else its marked deployments. */
export function RecentChanges() {
  const { may } = useHere();
  return may('admin') ? <Changes /> : <Deployments />;
}

function Changes() {
  const { organisation, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'recent-changes'],
    queryFn: async () =>
      (await api.audit.list({ limit: READ, changes: 'false' }, { place: { organisationId: organisation.id } }).page())
        .data,
    refetchInterval: 30_000,
  });
  const rows = (found.data ?? []).filter(({ action }) => kindOf(action) !== undefined).slice(0, SHOWN);
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
              <Target of={row} /> <span className="text-text-2">{verbOf(row.action)}</span>{' '}
              {row.actor.id !== undefined && (
                <span className="text-text-2">
                  by <Doer id={row.actor.id} />
                </span>
              )}
            </Line>
          ))}
        </ul>
      )}
    </Section>
  );
}

const kindOf = (action: string): string | undefined => KINDS[action.split('.')[0] ?? ''];
const verbOf = (action: string): string => (action.split('.')[1] ?? '').replaceAll('_', ' ');

const iconOf = (action: string): LucideIcon => {
  if (action.startsWith('mark.')) return Rocket;
  if (/secret|key|credential/.test(action)) return KeyRound;
  if (action.endsWith('created')) return Plus;
  return /deleted$|removed$|revoked$/.test(action) ? Trash2 : Pencil;
};

function Target({ of: { action, target } }: { of: AuditEntry }) {
  const named = NAMED[target.id.split('_')[0] ?? ''];
  const isGone = action.endsWith('.deleted');
  return (
    <span className="font-medium">
      {kindOf(action)}{' '}
      {named !== undefined && !isGone ? (
        <Name kind={named} id={target.id} />
      ) : (
        <span className="mono">{shortId(target.id)}</span>
      )}
    </span>
  );
}

function Deployments() {
  const marks = useMarks();
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
