import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { Search as SearchIcon } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from 'react';
import { BASE } from '../lib/addresses.ts';
import { addressOfId, idIn, MOST_APPS } from '../lib/find-id.ts';
import type { Search } from '../lib/list-filter.ts';
import { modifier } from '../lib/platform.ts';
import { parseSearch, writeSearch } from '../lib/search.ts';
import { useHere, useSession } from '../lib/session.ts';
import { failureText } from '../parts/failure-text.ts';
import { useNow, useZone } from '../parts/moment.tsx';
import { searchedText, useHits } from '../parts/search-hits.tsx';
import { Icon } from '../ui/icon.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { type Group, type Item, usePaletteGroups } from './palette-items.tsx';

/** Results shown in the palette itself; the Search page has all of them. */
const MOST_HITS = 8;
const AFTER_MS = 250;
const LEAST_LETTERS = 2;

/**
 * Opens a page by its name, anything by its id in whichever app it is, or a search result. Shows how far it has
 * searched. Enter opens, and with ⌘ or Ctrl in a new tab.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const session = useSession();
  const here = useHere();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const highlighted = useRef<Item>(undefined);
  const wanted = text.trim();
  const asked = useSettled(wanted);
  const id = idIn(text);
  const isAsked = asked.length >= LEAST_LETTERS && id === undefined && wanted !== '';
  const found = useHits({ q: asked }, { limit: MOST_HITS, isAsked, keepsBefore: true });
  const pages = isAsked ? (found.data?.pages ?? []) : [];
  const hits = pages.flatMap(({ data }) => data);
  const groups = usePaletteGroups({ wanted, id, asked, hits });
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
      (failure: unknown) => setProblem(failureText(failure)),
    );
  };
  const choose = ({ to, findId }: Item, isNewTab: boolean): void => {
    if (to !== undefined && isNewTab)
      window.open(`${BASE}${to.path}${writeSearch(to.search ?? {})}`, '_blank', 'noopener');
    else if (to !== undefined) go(to.path, to.search);
    else if (findId !== undefined) find(findId);
  };
  const onKeyDown = (event: KeyboardEvent & { preventBaseUIHandler?: () => void }): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || highlighted.current === undefined) return;
    event.preventDefault();
    event.preventBaseUIHandler?.();
    choose(highlighted.current, true);
  };
  const searched = searchedText(pages, useNow(), useZone());
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-50 animate-appear bg-overlay" />
        <Base.Popup
          aria-label="Search"
          className="fixed inset-x-0 top-[12vh] z-50 mx-auto flex max-h-[70vh] w-170 max-w-[calc(100vw-32px)] animate-appear flex-col overflow-hidden rounded-12 bg-raised shadow-3 outline-none max-md:inset-0 max-md:max-h-none max-md:w-auto max-md:max-w-none max-md:rounded-none"
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
            // `as`: every item is one of the groups.
            onItemHighlighted={(item: unknown) => (highlighted.current = item as Item | undefined)}
            itemToStringValue={() => text}
          >
            <div className="flex h-13 shrink-0 items-center gap-2.5 border-b border-line px-4">
              <Icon of={SearchIcon} className="text-text-3" />
              <Autocomplete.Input
                aria-label="Search for an ID, a name or a payload value"
                placeholder="Search for an ID, a name or a payload value"
                autoFocus
                onKeyDown={onKeyDown}
                className="h-full min-w-0 grow bg-transparent text-15 outline-none"
              />
              <span className="shrink-0 rounded-full bg-hover px-2.5 py-0.75 text-12 font-medium text-text-2 max-md:hidden">
                {here.app.name}, {here.environment === 'live' ? 'Live' : 'Test'}
              </span>
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
                        onClick={(event) => choose(item, event.metaKey || event.ctrlKey)}
                        className="group flex min-h-9.5 items-center gap-2.5 rounded-6 px-2.5 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-11"
                      >
                        <Icon of={item.icon} className="text-text-3" />
                        <span className="min-w-0 grow truncate">
                          <span className="mr-1 font-medium">{item.label}</span>{' '}
                          {item.note !== undefined && <span className="text-text-2">{item.note}</span>}
                        </span>
                        {item.end !== undefined && (
                          <span className="flex shrink-0 items-center gap-2 text-12 text-text-3">{item.end}</span>
                        )}
                        <span className="not-group-data-highlighted:hidden max-md:hidden">
                          <Kbd>↵</Kbd>
                        </span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            <footer className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line bg-sunken px-4 py-1.5 text-12 text-text-3">
              <span className="max-md:hidden">
                <Kbd>↑</Kbd> <Kbd>↓</Kbd> move
              </span>
              <span className="max-md:hidden">
                <Kbd>↵</Kbd> open
              </span>
              <span className="max-md:hidden">
                <Kbd>{modifier.trim()} ↵</Kbd> new tab
              </span>
              <span role="status" className="ml-auto max-md:ml-0">
                {isAsked &&
                  (found.isError
                    ? failureText(found.error)
                    : found.isFetching
                      ? 'Searching…'
                      : hits.length === 0
                        ? `No results. ${searched === undefined ? '' : `${searched} for exactly this value`}`
                        : searched)}
              </span>
              {isAsked && found.hasNextPage && !found.isFetching && (
                <button
                  type="button"
                  className="text-accent hover:underline"
                  onClick={() => void found.fetchNextPage()}
                >
                  Search older
                </button>
              )}
            </footer>
          </Autocomplete.Root>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Returns a text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return useDeferredValue(settled);
}
