import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { addressOfId, idIn, MOST_APPS } from '../lib/find-id.ts';
import type { Search } from '../lib/list-filter.ts';
import { parseSearch } from '../lib/search.ts';
import { useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';

/** Goes to a page by its name, to anything by its id, in whichever environment that is, or to the search. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTexts();
  const session = useSession();
  const here = useHere();
  const navigate = useNavigate();
  const list = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [missing, setMissing] = useState<string>();
  const [error, setError] = useState<unknown>();
  const isWhole = session.organisations.flatMap(({ apps }) => apps).length <= MOST_APPS;
  const id = idIn(text);
  const pages = Object.entries(t.nav.names).filter(([, name]) =>
    name.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const wanted = text.trim();
  const count = pages.length + (wanted === '' ? 0 : 1);
  const go = (path: string, search: Search = {}): void => {
    onClose();
    // `never`: as in link.tsx.
    void navigate({ to: path, search: search as never });
  };
  const searchFor = (q: string): void => go(`${here.path}/search`, { q });
  const find = (asked: string): void => {
    setError(undefined);
    addressOfId(session, here.path, asked).then(
      (address) => {
        const [path = '', search = ''] = address?.split('?') ?? [];
        if (address === undefined) setMissing(asked);
        else go(path, parseSearch(search));
      },
      (failure: unknown) => setError(failure),
    );
  };
  const enter = (): void => {
    if (id !== undefined) return find(id);
    const page = pages[chosen]?.[0];
    if (page !== undefined) go(`${here.path}/${page}`);
    else if (wanted !== '') searchFor(wanted);
  };
  return (
    <Dialog title={t.palette.title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          enter();
        }}
      >
        <input
          className="input"
          role="combobox"
          aria-label={t.palette.label}
          aria-expanded={id === undefined}
          aria-controls={list}
          aria-activedescendant={id === undefined && count > 0 ? `${list}-${chosen}` : undefined}
          placeholder={t.palette.label}
          value={text}
          autoFocus
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
            setMissing(undefined);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
            event.preventDefault();
            const next = chosen + (event.key === 'ArrowDown' ? 1 : -1);
            setChosen(Math.min(count - 1, Math.max(0, next)));
          }}
        />
        <Failure error={error} />
        <div aria-live="polite">
          {missing !== undefined && (
            <p>{isWhole ? t.palette.missing(missing) : t.search.missingAmong(missing, MOST_APPS)}</p>
          )}
        </div>
        <ul id={list} role="listbox" aria-label={t.palette.title} className="palette">
          {id === undefined &&
            pages.map(([page, name], position) => (
              // The field above has the keys.
              <li
                key={page}
                id={`${list}-${position}`}
                role="option"
                aria-selected={position === chosen}
                onClick={() => go(`${here.path}/${page}`)}
              >
                {name}
              </li>
            ))}
          {id === undefined && wanted !== '' && (
            <li
              role="option"
              id={`${list}-${pages.length}`}
              aria-selected={chosen === pages.length}
              onClick={() => searchFor(wanted)}
            >
              {t.search.in(wanted)}
            </li>
          )}
          {id !== undefined && (
            <li role="option" aria-selected="true" id={`${list}-0`} onClick={() => find(id)} className="mono">
              {id}
            </li>
          )}
        </ul>
      </form>
    </Dialog>
  );
}
