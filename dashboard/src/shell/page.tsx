import clsx from 'clsx';
import { Globe, PanelLeft, Pause, RefreshCw } from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import { useHere } from '../lib/session.ts';
import { ZoneContext } from '../lib/times.ts';
import { HereLink } from '../parts/link.tsx';
import { OldData } from '../parts/old-data.tsx';
import { usePause } from '../parts/pause.tsx';
import { PreferencesContext } from '../parts/preferences-provider.tsx';
import { EnvironmentPill } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { SettingsNavigation } from './settings-navigation.tsx';
import { usePageTitle } from './use-page-title.ts';

/** Opens the navigation on a narrow screen. */
export const OpenNavigationContext = createContext<() => void>(() => undefined);

type Given = {
  /** Name of the page: its heading, unless the page has its own heading, and the title of its tab. */
  title: string;
  /** Its parents, such as the list of a detail page. The title is then shown as the last crumb. */
  crumbs?: readonly (readonly [name: string, to: string])[];
  /** Shown instead of the title after the crumbs: a short id, or a custom heading. */
  crumb?: ReactNode;
  /** Shown after the title: how many rows match, and how many are new. */
  count?: ReactNode;
  /** At the right end of the bar. */
  actions?: ReactNode;
  /**
   * `full`: lists and canvases use the whole width, and scroll on their own. `settings`: next to the list of settings;
   * `settings-full`: both.
   */
  layout?: 'page' | 'full' | 'settings' | 'settings-full';
  /** The page shows its title in its own heading (`PageHead`), so the bar is not a heading. */
  hasHead?: boolean;
  /** Nothing on the page changes by itself, and no time is shown: an editor. */
  isStill?: boolean;
  children: ReactNode;
};

/** A page of an environment: the bar at the top, and its content below. */
export function Page({
  title,
  crumbs = [],
  crumb,
  count,
  actions,
  layout = 'page',
  hasHead = false,
  isStill = false,
  children,
}: Given) {
  const here = useHere();
  const openNavigation = useContext(OpenNavigationContext);
  usePageTitle(title);
  const name = <span className="truncate">{crumb ?? title}</span>;
  return (
    <>
      <header className="flex h-bar shrink-0 items-center gap-2 border-b border-line bg-surface pr-5 pl-6 max-md:px-3">
        <IconButton icon={PanelLeft} label="Open navigation" onClick={openNavigation} className="lg:hidden" />
        <EnvironmentPill environment={here.environment} />
        <div className="flex min-w-0 grow items-center gap-2 pl-1">
          {crumbs.map(([label, to]) => (
            <span key={to} className="flex shrink-0 items-center gap-2 text-text-2 max-md:hidden">
              <HereLink to={to} className="hover:text-text">
                {label}
              </HereLink>
              <span aria-hidden="true" className="text-text-disabled">
                /
              </span>
            </span>
          ))}
          {hasHead || crumb !== undefined ? (
            <span className="min-w-0 truncate">{name}</span>
          ) : (
            <h1 className="min-w-0 truncate text-15 font-bold tracking-tight">{name}</h1>
          )}
          {count}
        </div>
        <div data-bar className="flex shrink-0 items-center gap-2">
          {!isStill && <Refresh />}
          {!isStill && <ZoneSwitch />}
          {actions}
        </div>
      </header>
      {layout === 'full' ? (
        <main id="content" tabIndex={-1} className="flex min-h-0 grow flex-col outline-none">
          <OldData />
          {children}
        </main>
      ) : layout === 'settings-full' ? (
        <main id="content" tabIndex={-1} className="flex min-h-0 grow outline-none max-lg:flex-col">
          <div className="shrink-0 overflow-y-auto border-line p-6 max-lg:border-b max-lg:px-6 max-lg:py-2 max-md:px-4 lg:border-r lg:pr-4">
            <SettingsNavigation />
          </div>
          <div className="flex min-h-0 min-w-0 grow flex-col">
            <OldData />
            {children}
          </div>
        </main>
      ) : (
        <main
          id="content"
          // A tab stop, because otherwise keys could not scroll a page without links.
          tabIndex={0}
          data-scroll-restoration-id="page"
          className="min-h-0 grow overflow-auto outline-offset-[-2px]"
        >
          <OldData />
          {layout === 'settings' ? (
            <div className="flex gap-x-8 p-6 max-lg:flex-col max-lg:gap-y-4 max-md:p-4">
              <SettingsNavigation />
              <div className="max-w-240 min-w-0 grow">{children}</div>
            </div>
          ) : (
            <div className="max-w-362 p-6 max-md:p-4">{children}</div>
          )}
        </main>
      )}
    </>
  );
}

/** Stops all queries and clocks of the page, or resumes them. */
function Refresh() {
  const { isPaused, toggle } = usePause();
  const state = isPaused ? 'Auto-refresh off' : 'Auto-refresh on';
  const label = `${state}. ${isPaused ? 'Resume' : 'Pause'}`;
  return (
    <>
      <Button
        look="quiet"
        icon={isPaused ? Pause : RefreshCw}
        onClick={toggle}
        label={label}
        className={clsx('max-xl:hidden', isPaused && 'text-held')}
      >
        {state}
      </Button>
      <IconButton
        icon={isPaused ? Pause : RefreshCw}
        label={label}
        keys="L"
        onClick={toggle}
        className="max-md:hidden xl:hidden"
      />
    </>
  );
}

/** The time zone of the page, named once; a press switches to the other one. */
function ZoneSwitch() {
  const zone = useContext(ZoneContext);
  const { setZone } = useContext(PreferencesContext);
  const name = zone === 'utc' ? 'UTC' : 'Local time';
  return (
    <Button
      look="quiet"
      icon={Globe}
      onClick={() => setZone(zone === 'utc' ? 'local' : 'utc')}
      label={`Time zone: ${name}. Change to ${zone === 'utc' ? 'local time' : 'UTC'}`}
      className="max-lg:hidden"
    >
      {name}
    </Button>
  );
}
