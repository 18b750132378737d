import { Dialog as Base } from '@base-ui/react/dialog';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useState } from 'react';
import { BASE } from '../lib/addresses.ts';
import { keep, kept } from '../lib/kept.ts';
import { isCovered, useKeys } from '../lib/keys.ts';
import { type Here, HereContext, placeOf, useSession } from '../lib/session.ts';
import { ChangesProvider } from '../parts/changes.tsx';
import { useGo } from '../parts/link.tsx';
import { NowProvider } from '../parts/moment.tsx';
import { PauseProvider } from '../parts/pause.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { Palette } from './palette.tsx';
import { OpenNavigationContext } from './page.tsx';
import { Sidebar } from './sidebar.tsx';

/** The frame of all pages of an environment. */
export function Shell() {
  const session = useSession();
  // `as`: the paths in router.tsx name both.
  const { app = '', env } = useParams({ strict: false }) as { app?: string; env?: string };
  const here = env === 'live' || env === 'test' ? placeOf(session, app, env) : undefined;
  const path = here?.path.slice(1);
  useEffect(() => {
    if (path !== undefined) keep('place', path);
  }, [path]);
  if (here === undefined)
    return (
      <main className="grid min-h-full place-items-center">
        <Empty
          title="App not found, or you don't have access"
          actions={<Button render={<a href={`${BASE}/`}>Go to overview</a>}>Go to overview</Button>}
        />
      </main>
    );
  return (
    <HereContext value={here}>
      {/* Another environment is a new page: no state of the previous one may remain. */}
      <ChangesProvider key={here.path}>
        <PauseProvider>
          <NowProvider>
            <Frame here={here} />
          </NowProvider>
        </PauseProvider>
      </ChangesProvider>
    </HereContext>
  );
}

function Frame({ here }: { here: Here }) {
  const go = useGo();
  const [isSmall, setIsSmall] = useState(kept('nav') === 'small');
  const [isOpen, setIsOpen] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [isSearching, setIsSearching] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setIsOpen(false), [pathname]);
  const toggle = (): void => {
    keep('nav', isSmall ? 'wide' : 'small');
    setIsSmall(!isSmall);
  };
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
      if (!(event.ctrlKey || event.metaKey) || isCovered()) return;
      if (event.key === 'k') setIsSearching(true);
      else if (event.key === '\\') toggle();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
  const sidebar = (isDrawer: boolean) => (
    <Sidebar
      isSmall={isSmall && !isDrawer}
      onToggle={isDrawer ? () => setIsOpen(false) : toggle}
      onSearch={() => setIsSearching(true)}
      onKeys={() => setIsAsking(true)}
    />
  );
  return (
    <div className="flex h-full flex-col">
      {here.environment === 'test' && (
        <div
          aria-hidden="true"
          className="h-1 shrink-0 bg-[repeating-linear-gradient(135deg,var(--brand)_0_10px,#1b1a18_10px_20px)]"
        />
      )}
      <a
        href="#content"
        className="absolute left-2 z-60 -translate-y-20 rounded-6 bg-raised px-3 py-2 shadow-2 focus:translate-y-2"
      >
        Skip to content
      </a>
      <div className="flex min-h-0 grow">
        <div className={isSmall ? 'w-(--nav-small) shrink-0 max-lg:hidden' : 'w-(--nav) shrink-0 max-lg:hidden'}>
          {sidebar(false)}
        </div>
        <Base.Root open={isOpen} onOpenChange={setIsOpen}>
          <Base.Portal>
            <Base.Backdrop className="fixed inset-0 z-40 animate-appear bg-overlay lg:hidden" />
            <Base.Popup
              aria-label="Navigation"
              className="fixed inset-y-0 left-0 z-40 w-65 animate-appear shadow-3 outline-none lg:hidden"
            >
              {sidebar(true)}
            </Base.Popup>
          </Base.Portal>
        </Base.Root>
        <div className="flex min-w-0 grow flex-col">
          <OpenNavigationContext value={() => setIsOpen(true)}>
            <Outlet />
          </OpenNavigationContext>
        </div>
      </div>
      {isSearching && <Palette onClose={() => setIsSearching(false)} />}
      {isAsking && <KeysDialog onClose={() => setIsAsking(false)} />}
    </div>
  );
}
