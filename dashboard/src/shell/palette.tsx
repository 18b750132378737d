import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type LucideIcon, Search as SearchIcon } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { api, type Role } from '../api/client.ts';
import { addressOfId, idIn, MOST_APPS } from '../lib/find-id.ts';
import { HIT_KINDS } from '../lib/hit-addresses.ts';
import type { Search } from '../lib/list-filter.ts';
import { parseSearch } from '../lib/search.ts';
import { useHere, useSession } from '../lib/session.ts';
import { failureText } from '../parts/failure.tsx';
import { useTexts } from '../lib/texts.ts';
import { Ago } from '../parts/moment.tsx';
import { shortId } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { NAVIGATION, OTHER_PAGES, SETTINGS } from './navigation.ts';

type FoundPage = { path: string; name: string; icon?: LucideIcon; role?: Role };

type Item = { value: string; label: ReactNode; note?: ReactNode; icon: LucideIcon; onChoose: () => void };
type Group = { value: string; items: readonly Item[] };

/** Results that the palette itself shows; the page Search has all. */
const MOST_HITS = 8;
const MOST_PAGES = 8;
const AFTER_MS = 250;

/** Goes to a page by its name, to anything by its ID in whichever app that is, or to what a search finds. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTexts();
  const session = useSession();
  const here = useHere();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const wanted = text.trim();
  const asked = useSettled(wanted);
  const id = idIn(text);
  const found = useQuery({
    queryKey: [here.path, 'palette', asked],
    queryFn: () => api.search.find({ q: asked, limit: MOST_HITS }, here.at),
    enabled: asked.length >= 2 && id === undefined,
    placeholderData: (before) => (asked === '' ? undefined : before),
    meta: { failure: 'own' },
    retry: false,
  });
  const go = (path: string, search: Search = {}): void => {
    onClose();
    // `never`: as in link.tsx.
    void navigate({ to: path, search: search as never });
  };
  const find = (wantedId: string): void => {
    setProblem(undefined);
    const isWhole = session.organisations.flatMap(({ apps }) => apps).length <= MOST_APPS;
    addressOfId(session, here.path, wantedId).then(
      (address) => {
        const [path = '', search = ''] = address?.split('?') ?? [];
        if (address !== undefined) go(path, parseSearch(search));
        else setProblem(`No match for ${wantedId} in ${isWhole ? 'your apps' : `the first ${MOST_APPS} of your apps`}`);
      },
      (failure: unknown) => setProblem(failureText(failure, t)),
    );
  };
  const all: readonly FoundPage[] = [...NAVIGATION.flatMap((group) => group.pages), ...SETTINGS, ...OTHER_PAGES];
  const pages = all
    .filter(({ role }) => role === undefined || here.may(role))
    .filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
    .slice(0, wanted === '' ? undefined : MOST_PAGES);
  const hits = id === undefined && asked.length >= 2 ? (found.data?.data ?? []) : [];
  const groups: readonly Group[] = [
    ...(id === undefined
      ? []
      : [
          {
            value: 'ID',
            items: [
              { value: id, label: <span className="mono">{id}</span>, icon: SearchIcon, onChoose: () => find(id) },
            ],
          },
        ]),
    ...(hits.length === 0
      ? []
      : [
          {
            value: 'Results',
            items: hits.map((hit): Item => {
              const { icon, name, addressOf } = HIT_KINDS[hit.kind];
              const { to, search } = addressOf(hit);
              return {
                value: hit.id,
                label: hit.summary,
                note: (
                  <>
                    {name} <span className="mono">{shortId(hit.id)}</span> <Ago at={hit.at} />
                  </>
                ),
                icon,
                onChoose: () => go(here.path + to, search),
              };
            }),
          },
        ]),
    ...(id !== undefined || pages.length === 0
      ? []
      : [
          {
            value: 'Go to',
            items: pages.map(
              ({ path, name, icon = SearchIcon }): Item => ({
                value: `page ${path}`,
                label: name,
                icon,
                onChoose: () => go(`${here.path}/${path}`),
              }),
            ),
          },
        ]),
    ...(id !== undefined || wanted === ''
      ? []
      : [
          {
            value: 'Search',
            items: [
              {
                value: 'search',
                label: `See all results for “${wanted}”`,
                icon: SearchIcon,
                onChoose: () => go(`${here.path}/search`, { q: wanted }),
              },
            ],
          },
        ]),
  ];
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-50 animate-appear bg-overlay" />
        <Base.Popup
          aria-label="Search"
          className="fixed inset-x-0 top-[12vh] z-50 mx-auto flex max-h-[70vh] w-170 max-w-[calc(100vw-32px)] animate-appear flex-col overflow-hidden rounded-12 bg-raised shadow-3 outline-none max-md:inset-0 max-md:max-h-none max-md:max-w-none max-md:rounded-none"
        >
          <Autocomplete.Root
            open
            inline
            items={groups}
            filter={null}
            autoHighlight="always"
            keepHighlight
            value={text}
            onValueChange={(next) => {
              setText(next);
              setProblem(undefined);
            }}
            itemToStringValue={() => text}
          >
            <div className="flex h-13 shrink-0 items-center gap-2.5 border-b border-line px-4">
              <Icon of={SearchIcon} className="text-text-3" />
              <Autocomplete.Input
                aria-label="Search, or paste an ID"
                placeholder="Search, or paste an ID"
                autoFocus
                className="h-full min-w-0 grow bg-transparent text-15 outline-none"
              />
              <Kbd>Esc</Kbd>
            </div>
            <div aria-live="polite" className="empty:hidden">
              {problem !== undefined && <p className="px-4 pt-3 text-failed">{problem}</p>}
            </div>
            <Autocomplete.List className="min-h-0 grow overflow-y-auto p-2 pt-0">
              {(group: Group) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2.5 pt-3 pb-1 text-11 font-medium text-text-3">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Item) => (
                      <Autocomplete.Item
                        key={item.value}
                        value={item}
                        onClick={item.onChoose}
                        className="flex min-h-9.5 items-center gap-2.5 rounded-6 px-2.5 outline-none select-none data-highlighted:bg-hover"
                      >
                        <Icon of={item.icon} className="text-text-3" />
                        <span className="min-w-0 grow truncate">{item.label}</span>
                        {item.note !== undefined && (
                          <span className="shrink-0 text-12 text-text-3 max-md:hidden">{item.note}</span>
                        )}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            <footer className="flex shrink-0 gap-4 border-t border-line bg-sunken px-4 py-2 text-12 text-text-3">
              <span className="max-md:hidden">
                <Kbd>↑</Kbd> <Kbd>↓</Kbd> choose
              </span>
              <span className="max-md:hidden">
                <Kbd>Enter</Kbd> open
              </span>
              <span role="status" className="ml-auto">
                {found.isFetching
                  ? 'Searching…'
                  : found.data !== undefined && hits.length === 0 && asked !== '' && 'No results'}
                {found.isError && asked !== '' && failureText(found.error, t)}
              </span>
            </footer>
          </Autocomplete.Root>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A text once nobody has changed it for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return useDeferredValue(settled);
}
