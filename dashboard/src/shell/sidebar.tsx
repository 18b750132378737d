import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import clsx from 'clsx';
import {
  ChevronsUpDown,
  FlaskConical,
  Keyboard,
  KeyRound,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  PanelLeft,
  Search,
  Settings,
  Sun,
  UserRound,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api } from '../api/client.ts';
import { BASE } from '../lib/addresses.ts';
import { boundedText } from '../lib/bounded-count.ts';
import { keep, kept } from '../lib/kept.ts';
import { modifier } from '../lib/platform.ts';
import { nameOf, useHere, useSession } from '../lib/session.ts';
import { useActs } from '../parts/acts.tsx';
import { MOST_APPROVALS, openApprovals } from '../parts/open-approvals.ts';
import { AddPasskey, canHavePasskeys } from '../parts/add-passkey.tsx';
import { HereLink } from '../parts/link.tsx';
import { CountTag } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Menu } from '../ui/menu.tsx';
import { Segmented } from '../ui/tabs.tsx';
import { Tip } from '../ui/tooltip.tsx';
import { NAVIGATION, type NavPage, SETTINGS_PAGES } from './navigation.ts';

type Given = {
  /** Icons only. */
  isSmall?: boolean;
  onToggle: () => void;
  onSearch: () => void;
  onKeys: () => void;
};

/** Shows where the user is, where they can go, and who they are. */
export function Sidebar({ isSmall = false, onToggle, onSearch, onKeys }: Given) {
  const counts = useCounts();
  const here = useHere();
  return (
    <nav
      aria-label="Navigation"
      className={clsx('flex h-full min-h-0 flex-col border-r border-line bg-ground', isSmall ? 'px-2' : 'px-3')}
    >
      <div className={clsx('flex h-bar shrink-0 items-center gap-2.25', isSmall ? 'justify-center' : 'px-1')}>
        {isSmall ? (
          <button
            type="button"
            onClick={onToggle}
            aria-label="Expand navigation"
            className="rounded-6 p-1.25 hover:bg-hover"
          >
            <img src={`${BASE}/mark.svg`} alt="" className="size-5.5" />
          </button>
        ) : (
          <>
            <img src={`${BASE}/mark.svg`} alt="" className="size-5.5" />
            <span className="grow text-[14px] font-bold tracking-tight">Posthorn</span>
            <IconButton
              icon={PanelLeft}
              label="Collapse navigation"
              keys={`${modifier}\\`}
              size="small"
              onClick={onToggle}
            />
          </>
        )}
      </div>
      <Place isSmall={isSmall} />
      <Entry isSmall={isSmall} name="Search">
        <button
          type="button"
          onClick={onSearch}
          {...(isSmall && { 'aria-label': 'Search' })}
          className={clsx(
            'mt-2 flex h-8 w-full shrink-0 items-center gap-2 rounded-6 text-text-2 hover:bg-hover',
            isSmall ? 'justify-center' : 'px-2',
          )}
        >
          <Icon of={Search} />
          {!isSmall && (
            <>
              <span className="grow text-left">Search</span>
              <Kbd>{modifier}K</Kbd>
            </>
          )}
        </button>
      </Entry>
      <div
        className={clsx(
          'mt-1 min-h-0 grow overflow-y-auto [scrollbar-width:none]',
          isSmall ? '-mx-2 px-2' : '-mx-3 px-3',
        )}
      >
        {NAVIGATION.map(({ title, pages }) => {
          const open = pages.filter(({ role }) => role === undefined || here.may(role));
          return (
            <div key={title ?? ''}>
              {title !== undefined && !isSmall && (
                <h2 className="px-2 pt-3.25 pb-1 text-11 font-medium text-text-3">{title}</h2>
              )}
              <ul className={clsx(isSmall && 'pt-2')}>
                {open.map((page) => (
                  <PageLink key={page.path} page={page} isSmall={isSmall} count={counts[page.path]} />
                ))}
              </ul>
            </div>
          );
        })}
        <ul className="pt-3.25 pb-3">
          <PageLink
            page={{ path: 'apps', name: 'Settings', icon: Settings, also: SETTINGS_PAGES.map(({ path }) => path) }}
            isSmall={isSmall}
          />
        </ul>
      </div>
      <Person isSmall={isSmall} onKeys={onKeys} />
    </nav>
  );
}

/** With its name as a tooltip if only its icon is shown. */
const Entry = ({ isSmall, name, children }: { isSmall: boolean; name: string; children: React.ReactElement }) =>
  isSmall ? <Tip text={name}>{children}</Tip> : children;

function PageLink({
  page: { path, name, icon, also = [] },
  isSmall,
  count,
}: {
  page: NavPage;
  isSmall: boolean;
  count?: ReactNode;
}) {
  const here = useHere();
  const { pathname } = useLocation();
  const first = pathname.slice(here.path.length + 1).split('/')[0] ?? '';
  const isHere = first === path || also.includes(first);
  return (
    <li>
      <Entry isSmall={isSmall} name={name}>
        <HereLink
          to={`/${path}`}
          {...(isHere && { 'aria-current': 'page' as const })}
          {...(isSmall && { 'aria-label': name })}
          className={clsx(
            'relative flex h-7 items-center gap-2.25 rounded-6 pointer-coarse:h-10',
            isSmall ? 'mt-0.5 justify-center' : 'px-2',
            isHere ? 'bg-pressed font-medium text-text' : 'text-text-2 hover:bg-hover hover:text-text',
          )}
        >
          <Icon of={icon} className={isHere ? undefined : 'text-text-3'} />
          {!isSmall && <span className="grow truncate">{name}</span>}
          {count !== undefined && !isSmall && count}
        </HereLink>
      </Entry>
    </li>
  );
}

/** What needs attention: open dead letters, and approvals. */
function useCounts(): Readonly<Record<string, ReactNode>> {
  const { at, path } = useHere();
  const backlog = useQuery({
    queryKey: [path, 'backlog'],
    queryFn: () => api.stats.getBacklog({}, at),
    refetchInterval: 15_000,
  });
  const approvals = useQuery(openApprovals(at, path));
  const letters = backlog.data?.openDeadLetters;
  return {
    ...(letters !== undefined &&
      letters.count > 0 && { 'dead-letters': <CountTag isBad>{boundedText(letters)}</CountTag> }),
    ...(approvals.data !== undefined &&
      approvals.data > 0 && {
        approvals: <CountTag>{approvals.data === MOST_APPROVALS ? `${MOST_APPROVALS}+` : approvals.data}</CountTag>,
      }),
  };
}

/** The app and the environment of the pages. */
function Place({ isSmall }: { isSmall: boolean }) {
  const session = useSession();
  const here = useHere();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  // The same page of the other environment, without ids and filters, which do not exist there.
  const [page = 'overview'] = pathname.slice(here.path.length + 1).split('/');
  const to = (name: string, environment: string): void => void navigate({ to: `/${name}/${environment}/${page}` });
  const initials = here.app.name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word[0])
    .join('')
    .toUpperCase();
  const app = nameOf(session, here.app);
  return (
    <div className="shrink-0 rounded-8 border border-line-strong bg-surface shadow-1">
      <Menu
        align="start"
        width={224}
        trigger={
          <button
            type="button"
            {...(isSmall && { 'aria-label': `App: ${here.app.name}` })}
            className={clsx(
              'flex w-full items-center gap-2.25 rounded-8 hover:bg-hover',
              isSmall ? 'justify-center p-1.5' : 'px-2 py-1.75',
            )}
          >
            <span
              aria-hidden="true"
              className="grid size-6.5 shrink-0 place-items-center rounded-6 bg-text text-11 font-bold text-surface"
            >
              {initials}
            </span>
            {!isSmall && (
              <>
                <span className="min-w-0 grow text-left leading-4">
                  <span className="block truncate font-medium">
                    <span className="sr-only">App: </span>
                    {here.app.name}
                  </span>
                  <span className="block truncate text-11 leading-3.5 text-text-3">{here.organisation.name}</span>
                </span>
                <Icon of={ChevronsUpDown} isSmall className="text-text-3" />
              </>
            )}
          </button>
        }
        groups={session.organisations.map(({ name, apps }) => ({
          title: name,
          items: apps.map((each) => ({
            label: each.name,
            isChecked: each.id === here.app.id,
            onSelect: () => to(nameOf(session, each), here.environment),
          })),
        }))}
      />
      <Segmented
        label="Environment"
        value={here.environment}
        onChange={(environment) => to(app, environment)}
        layout={isSmall ? 'stacked' : 'wide'}
        className={isSmall ? 'mx-1 mb-1' : 'mx-1.5 mb-1.5'}
        options={[
          { value: 'live', label: 'Live', chosenClassName: 'bg-env-live text-on-env-live' },
          {
            value: 'test',
            label: 'Test',
            icon: isSmall ? undefined : FlaskConical,
            chosenClassName: 'bg-env-test text-on-env-test',
          },
        ]}
      />
    </div>
  );
}

const THEMES: readonly { value: string; label: string; icon: LucideIcon }[] = [
  { value: '', label: 'System theme', icon: Monitor },
  { value: 'light', label: 'Light theme', icon: Sun },
  { value: 'dark', label: 'Dark theme', icon: Moon },
];

function Person({ isSmall, onKeys }: { isSmall: boolean; onKeys: () => void }) {
  const { user } = useSession();
  const here = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [theme, setTheme] = useState(kept('theme') ?? '');
  const [isDeclined, setIsDeclined] = useState(kept('passkey') === 'declined');
  const [isAdding, setIsAdding] = useState(false);
  const factors = useQuery({
    queryKey: ['factors'],
    queryFn: () => api.factors.get(),
    enabled: !isDeclined && canHavePasskeys(),
    staleTime: 300_000,
    meta: { failure: 'own' },
  });
  const isOffered = !isDeclined && canHavePasskeys() && factors.data?.passkeys === 0;
  const role = here.organisation.role;
  const choose = (next: string): void => {
    setTheme(next);
    keep('theme', next);
    if (next === '') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = next;
  };
  const initials = user.name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((word) => word[0])
    .join('')
    .toUpperCase();
  return (
    <div className={clsx('shrink-0 border-t border-line', isSmall ? '-mx-2 p-2' : '-mx-3 p-2')}>
      <Menu
        align="start"
        width={isOffered ? 250 : 214}
        trigger={
          <button
            type="button"
            {...(isSmall && { 'aria-label': `Account of ${user.name}` })}
            className={clsx(
              'flex w-full items-center gap-2.25 rounded-6 hover:bg-hover',
              isSmall ? 'justify-center p-1.5' : 'px-3 py-1.5',
            )}
          >
            <span
              aria-hidden="true"
              className="grid size-6.5 shrink-0 place-items-center rounded-full bg-accent-soft text-11 font-bold text-accent"
            >
              {initials}
            </span>
            {!isSmall && (
              <>
                <span className="min-w-0 grow text-left">
                  <span className="block truncate leading-4 font-medium">
                    <span className="sr-only">Account of </span>
                    {user.name}
                  </span>
                  <span className="block text-11 leading-3.5 text-text-3">
                    {role[0]?.toUpperCase() + role.slice(1)}
                  </span>
                </span>
                <Icon of={ChevronsUpDown} isSmall className="text-text-3" />
              </>
            )}
          </button>
        }
        groups={[
          {
            items: [
              isOffered && {
                label: 'Sign in faster with a passkey',
                icon: KeyRound,
                onSelect: () => setIsAdding(true),
              },
              { label: 'Account', icon: UserRound, onSelect: () => void navigate({ to: `${here.path}/account` }) },
              { label: 'Keyboard shortcuts', icon: Keyboard, keys: '?', onSelect: onKeys },
            ],
          },
          {
            title: 'Theme',
            items: THEMES.map(({ value, label, icon }) => ({
              label,
              icon,
              isChecked: value === theme,
              onSelect: () => choose(value),
            })),
          },
          {
            items: [
              {
                label: 'Sign out',
                icon: LogOut,
                onSelect: () =>
                  void act(async () => {
                    await api.session.signOut();
                    await navigate({ to: '/sign-in' });
                    client.clear();
                  }),
              },
            ],
          },
        ]}
      />
      {isAdding && (
        <AddPasskey
          title="Sign in faster with a passkey"
          cancel="Not now"
          onCancel={() => {
            keep('passkey', 'declined');
            setIsDeclined(true);
            setIsAdding(false);
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
    </div>
  );
}
