import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { api, type Role } from '../api/client.ts';
import { BASE } from '../lib/addresses.ts';
import { countText } from '../lib/bounded-count.ts';
import { keep } from '../lib/kept.ts';
import { useKeys } from '../lib/keys.ts';
import { type Here, HereContext, nameOf, placeOf, useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { ChangesProvider } from './changes.tsx';
import { Empty } from './empty.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { HereLink, useGo } from './link.tsx';
import { OldData } from './old-data.tsx';
import { PauseButton, PauseProvider } from './pause.tsx';
import { Palette } from './palette.tsx';
import { Preferences } from './preferences.tsx';

/** The frame of all pages of a place: where one is, where one can go, and who one is. */
export function Shell() {
  const session = useSession();
  const t = useTexts();
  // `as`: the paths of router.tsx name both.
  const { app = '', env } = useParams({ strict: false }) as { app?: string; env?: string };
  const here = env === 'live' || env === 'test' ? placeOf(session, app, env) : undefined;
  const path = here?.path.slice(1);
  useEffect(() => {
    if (path !== undefined) keep('place', path);
  }, [path]);
  if (here === undefined)
    return (
      <main className="alone">
        <Empty title={t.home.noPlace}>
          <a href={`${BASE}/`}>{t.home.toStart}</a>
        </Empty>
      </main>
    );
  return (
    <HereContext value={here}>
      {/* Another place is another page: nothing of the one before may be left over. */}
      <ChangesProvider key={here.path}>
        <PauseProvider>
          <Frame here={here} />
        </PauseProvider>
      </ChangesProvider>
    </HereContext>
  );
}

function Frame({ here }: { here: Here }) {
  const t = useTexts();
  const go = useGo();
  const [isOpen, setIsOpen] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [isSearching, setIsSearching] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setIsOpen(false), [pathname]);
  const menu = useRef<HTMLButtonElement>(null);
  const side = useRef<HTMLElement>(null);
  // On a narrow screen the pages lie over the page: the focus goes there, and Escape gives it back.
  useEffect(() => {
    if (isOpen) side.current?.querySelector('a')?.focus();
  }, [isOpen]);
  useKeys({
    '?': () => setIsAsking(true),
    '/': () => setIsSearching(true),
    'g o': () => go('/overview'),
    'g m': () => go('/messages'),
    'g d': () => go('/deliveries'),
    'g l': () => go('/dead-letters'),
    'g s': () => go('/subscriptions'),
    'g c': () => go('/channels'),
    'g w': () => go('/workflows'),
    'g r': () => go('/runs'),
  });
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]') !== null)
        return;
      event.preventDefault();
      setIsSearching(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className={here.environment === 'test' ? 'shell is-test' : 'shell'}>
      <a className="button skip" href="#content">
        {t.nav.skip}
      </a>
      <nav
        ref={side}
        className={isOpen ? 'side open' : 'side'}
        aria-label={t.nav.pages}
        onKeyDown={(event) => {
          if (!isOpen) return;
          if (event.key === 'Escape') {
            setIsOpen(false);
            menu.current?.focus();
          }
          if (event.key !== 'Tab') return;
          // The pages below it cannot be seen: behind the last page comes the first one again.
          const stops = [...event.currentTarget.querySelectorAll('a')];
          const [edge, other] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
          if (document.activeElement !== edge) return;
          event.preventDefault();
          other?.focus();
        }}
      >
        <div className="brand">
          <img src={`${BASE}/mark.svg`} alt="" /> Posthorn
        </div>
        <Navigation />
      </nav>
      <div>
        <header className="top">
          <button
            type="button"
            ref={menu}
            className="button menu-button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {t.nav.menu}
          </button>
          <PlaceChoice />
          <span className="grow" />
          <PauseButton />
          <button type="button" className="button" onClick={() => setIsSearching(true)}>
            {t.palette.title} <kbd>⌘K</kbd>
          </button>
          <Preferences />
          <button type="button" className="button plain" onClick={() => setIsAsking(true)}>
            <span aria-hidden="true">?</span>
            <span className="hidden">{t.nav.keys}</span>
          </button>
          <Person />
        </header>
        <main id="content" tabIndex={-1}>
          <OldData />
          <Outlet />
        </main>
      </div>
      {isSearching && <Palette onClose={() => setIsSearching(false)} />}
      {isAsking && <KeysDialog onClose={() => setIsAsking(false)} />}
    </div>
  );
}

const GROUPS = [
  ['', [['overview'], ['search']]],
  ['traffic', [['messages'], ['deliveries'], ['dead-letters'], ['replays']]],
  ['setup', [['channels'], ['subscriptions'], ['inbound']]],
  [
    'automate',
    [['workflows'], ['runs'], ['approvals'], ['connectors'], ['connections', 'admin'], ['secrets', 'admin']],
  ],
  ['tools', [['inspect'], ['doctor', 'developer']]],
  [
    'settings',
    [
      ['api-keys', 'admin'],
      ['machine-credentials', 'admin'],
      ['apps'],
      ['members'],
      ['audit', 'admin'],
      ['sign-in-settings', 'admin'],
      ['service', 'admin'],
      ['account'],
    ],
  ],
] as const;

function Navigation() {
  const t = useTexts();
  const here = useHere();
  const { pathname } = useLocation();
  const open = useOpenDeadLetters();
  const pages: Readonly<Record<string, string>> = t.nav.names;
  const groups: Readonly<Record<string, string>> = t.nav.groups;
  return GROUPS.map(([group, links]) => (
    <div key={group}>
      {group !== '' && <h2>{groups[group]}</h2>}
      <ul>
        {links
          .filter(([, role]: readonly [string, Role?]) => role === undefined || here.may(role))
          .map(([page]) => {
            const isHere = pathname.startsWith(`${here.path}/${page}`);
            return (
              <li key={page}>
                <HereLink to={`/${page}`} {...(isHere && { 'aria-current': 'page' as const })}>
                  {pages[page]}
                  {page === 'dead-letters' && open !== '' && <span className="state failed">{open}</span>}
                </HereLink>
              </li>
            );
          })}
      </ul>
    </div>
  ));
}

/** The number of open dead letters, 1000+ for more. Empty for none. */
function useOpenDeadLetters(): string {
  const { at, path } = useHere();
  const backlog = useQuery({
    queryKey: [path, 'backlog'],
    queryFn: () => api.stats.getBacklog({}, at),
    refetchInterval: 15_000,
  });
  const open = backlog.data?.openDeadLetters;
  return open === undefined || open.count === 0 ? '' : countText(open);
}

function PlaceChoice() {
  const t = useTexts();
  const session = useSession();
  const here = useHere();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  // The same page of the other place: nothing there has the ids and filters of this one.
  const [page = 'overview'] = pathname.slice(here.path.length + 1).split('/');
  const to = (name: string, environment: string): void => void navigate({ to: `/${name}/${environment}/${page}` });
  return (
    <>
      <label>
        <span className="hidden">{t.nav.app}</span>
        <select
          className="input"
          value={nameOf(session, here.app)}
          onChange={(event) => to(event.target.value, here.environment)}
        >
          {session.organisations.map(({ id, name, apps }) => (
            <optgroup key={id} label={name}>
              {apps.map((app) => (
                <option key={app.id} value={nameOf(session, app)}>
                  {app.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        <span className="hidden">{t.nav.environment}</span>
        <select
          className="input"
          value={here.environment}
          onChange={(event) => to(nameOf(session, here.app), event.target.value)}
        >
          <option value="live">{t.nav.live}</option>
          <option value="test">{t.nav.test}</option>
        </select>
      </label>
    </>
  );
}

function Person() {
  const t = useTexts();
  const { user } = useSession();
  const { act } = useActs();
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <>
      <span className="muted">{user.name}</span>
      <button
        type="button"
        className="button plain"
        onClick={() =>
          void act(async () => {
            await api.session.signOut();
            await navigate({ to: '/sign-in' });
            client.clear();
          })
        }
      >
        {t.nav.signOut}
      </button>
    </>
  );
}
