import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, isApiError, type View } from '../api/client.ts';
import type { Search } from '../lib/list-filter.ts';
import { useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { AskButton } from './ask-button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { FormButtons } from './form-buttons.tsx';

/** Views that ship with the product. */
export type OwnView = {
  name: 'failed' | 'waiting' | 'slow' | 'held' | 'failing' | 'paused' | 'disabled';
  search: Search;
};
type Given = {
  page: View['page'];
  /** Names of the page's filters in the address. */
  filters: readonly string[];
  own: readonly OwnView[];
};

/** Filters under a name: those that ship, and those that the person has saved. One of them is current when all filters are its own. */
export function Views({ page, filters, own }: Given) {
  const t = useTexts();
  const [search, change] = useAddress();
  const client = useQueryClient();
  // Views belong to no place, so a refresh of the place leaves them.
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['views'] });
  const [asked, setAsked] = useState<'save' | 'rename'>();
  const saved = useQuery({
    queryKey: ['views'],
    queryFn: async () => (await api.views.list({ limit: 100 }).page()).data,
    staleTime: 5_000,
  });
  const here: Record<string, string> = Object.fromEntries(
    filters.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
  const isCurrent = (wanted: Search): boolean =>
    Object.keys(wanted).length === Object.keys(here).length &&
    Object.entries(wanted).every(([name, value]) => here[name] === value);
  const mine = (saved.data ?? []).filter((view) => view.page === page).toReversed();
  const current = mine.find((view) => isCurrent(view.search));
  const show = (wanted: Search): void =>
    change({ ...Object.fromEntries(filters.map((name) => [name, ''])), open: '', ...wanted });
  const hasFilters = Object.keys(here).length > 0;
  if (own.length + mine.length === 0 && !hasFilters) return null;
  const chip = (key: string, name: string, wanted: Search) => (
    <button
      key={key}
      type="button"
      className="button choice"
      aria-pressed={isCurrent(wanted)}
      onClick={() => show(wanted)}
    >
      {name}
    </button>
  );
  return (
    <div className="filters" role="group" aria-label={t.views.title}>
      {own.map(({ name, search: wanted }) => chip(name, t.views.own[name], wanted))}
      {mine.map(({ id, name, search: wanted }) => chip(id, name, wanted))}
      {current === undefined
        ? hasFilters && (
            <button type="button" className="button plain" onClick={() => setAsked('save')}>
              {t.views.save}
            </button>
          )
        : [
            <button key="rename" type="button" className="button plain" onClick={() => setAsked('rename')}>
              {t.views.rename}
            </button>,
            <AskButton
              key="delete"
              label={t.views.delete}
              title={t.ask.deleteTitle(current.name)}
              why={t.ask.deleteViewWhy}
              told={t.views.deleted}
              looks="plain"
              what={async () => {
                await api.views.delete(current.id);
                await refresh();
              }}
            />,
          ]}
      {asked !== undefined && (
        <NameDialog
          title={asked === 'save' ? t.views.save : t.views.rename}
          name={asked === 'save' ? '' : (current?.name ?? '')}
          onClose={() => setAsked(undefined)}
          onName={async (name) => {
            if (asked === 'save') await api.views.create({ page, name, search: here });
            else if (current !== undefined) await api.views.update(current.id, { name });
            await refresh();
          }}
        />
      )}
    </div>
  );
}

type Named = { title: string; name: string; onClose: () => void; onName: (name: string) => Promise<void> };

function NameDialog({ title, name: given, onClose, onName }: Named) {
  const t = useTexts();
  const { act } = useActs();
  const [name, setName] = useState(given);
  const [problem, setProblem] = useState<string>();
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void act(() => onName(name.trim()), {
            told: t.views.saved,
            onFailure: (error) =>
              setProblem(
                isApiError(error, 'CONFLICT') ? t.views.taken : isApiError(error) ? error.message : t.views.taken,
              ),
          }).then((isDone) => isDone && onClose());
        }}
      >
        <TextField label={t.views.name} value={name} onChange={setName} problem={problem} isRequired hasFocus />
        <FormButtons go={t.views.keep} onCancel={onClose} isDisabled={name.trim() === ''} />
      </form>
    </Dialog>
  );
}
