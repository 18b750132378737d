import { useLocation } from '@tanstack/react-router';
import clsx from 'clsx';
import { useHere } from '../lib/session.ts';
import { HereLink } from '../parts/link.tsx';
import { SETTINGS_PAGES } from './navigation.ts';

/** The list of settings, next to each of their pages. */
export function SettingsNavigation() {
  const here = useHere();
  const { pathname } = useLocation();
  return (
    <nav aria-label="Settings" className="w-44 shrink-0 max-lg:w-full">
      <ul className="flex flex-col gap-0.5 max-lg:flex-row max-lg:flex-wrap">
        {SETTINGS_PAGES.filter(({ role }) => role === undefined || here.may(role)).map(({ path, name }) => {
          const isHere = pathname.startsWith(`${here.path}/${path}`);
          return (
            <li key={path}>
              <HereLink
                to={`/${path}`}
                {...(isHere && { 'aria-current': 'page' as const })}
                className={clsx(
                  'block rounded-6 px-2.5 py-1.5 whitespace-nowrap',
                  isHere ? 'bg-pressed font-medium' : 'text-text-2 hover:bg-hover hover:text-text',
                )}
              >
                {name}
              </HereLink>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
