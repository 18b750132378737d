import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark, ChevronDown, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, isApiError, type View } from '../../api/client.ts';
import type { Search } from '../../lib/list-filter.ts';
import { useAddress } from '../../lib/search.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useActs } from '../acts.tsx';
import { Confirm } from '../confirm.tsx';

/** A built-in view. */
export type OwnView = { name: string; search: Search };

type Given = {
  page: View['page'];
  /** Names of the page's filters in the address. */
  filters: readonly string[];
  own: readonly OwnView[];
  /** Name of the list without filters. */
  all?: string;
};

/**
 * Named sets of filters: the built-in ones, and those that the user has saved. A view is current if the filters equal
 * its own.
 */
export function SavedViews({ page, filters, own, all = 'All' }: Given) {
  const [search, change] = useAddress();
  const client = useQueryClient();
  const { act } = useActs();
  // Views do not belong to an environment, so refreshing the environment does not refetch them.
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['views'] });
  const [asked, setAsked] = useState<'save' | 'rename' | 'delete'>();
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
  const hasFilters = Object.keys(here).length > 0;
  const name = current?.name ?? own.find((view) => isCurrent(view.search))?.name ?? (hasFilters ? 'Custom view' : all);
  const show = (wanted: Search): void =>
    change({ ...Object.fromEntries(filters.map((each) => [each, ''])), open: '', ...wanted });
  const item = (view: { name: string; search: Search }) => ({
    label: view.name,
    isChecked: isCurrent(view.search),
    onSelect: () => show(view.search),
  });
  return (
    <>
      <Menu
        align="start"
        width={240}
        trigger={
          <Button icon={Bookmark} iconEnd={ChevronDown} label={`View: ${name}`} className="h-8.5 max-w-50">
            <span className="truncate">{name}</span>
          </Button>
        }
        groups={[
          {
            title: 'Views',
            items: [{ label: all, isChecked: !hasFilters, onSelect: () => show({}) }, ...own.map(item)],
          },
          { title: 'Saved', items: mine.map(item) },
          {
            items: [
              current === undefined &&
                hasFilters && { label: 'Save view…', icon: Plus, onSelect: () => setAsked('save') },
              current !== undefined && { label: 'Rename view…', icon: Pencil, onSelect: () => setAsked('rename') },
            ],
          },
          {
            items: [
              current !== undefined && {
                label: 'Delete view…',
                icon: Trash2,
                isDanger: true,
                onSelect: () => setAsked('delete'),
              },
            ],
          },
        ]}
      />
      {(asked === 'save' || asked === 'rename') && (
        <NameDialog
          title={asked === 'save' ? 'Save view' : 'Rename view'}
          name={asked === 'save' ? '' : (current?.name ?? '')}
          onClose={() => setAsked(undefined)}
          onName={async (next) => {
            if (asked === 'save') await api.views.create({ page, name: next, search: here });
            else if (current !== undefined) await api.views.update(current.id, { name: next });
            await refresh();
          }}
        />
      )}
      {asked === 'delete' && current !== undefined && (
        <Confirm
          title={`Delete ${current.name}?`}
          go="Delete view"
          isDanger
          onClose={() => setAsked(undefined)}
          onGo={() =>
            void act(
              async () => {
                await api.views.delete(current.id);
                await refresh();
              },
              { told: 'View deleted' },
            )
          }
        >
          Only the view is deleted, not the data.
        </Confirm>
      )}
    </>
  );
}

type Named = { title: string; name: string; onClose: () => void; onName: (name: string) => Promise<void> };

function NameDialog({ title, name: given, onClose, onName }: Named) {
  const { act } = useActs();
  const [name, setName] = useState(given);
  const [problem, setProblem] = useState<string>();
  const save = (): void =>
    void act(() => onName(name.trim()), {
      told: 'View saved',
      onFailure: (error) =>
        setProblem(
          !isApiError(error, 'CONFLICT') && error instanceof Error
            ? error.message
            : 'You already have a view with this name',
        ),
    }).then((isDone) => isDone && onClose());
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={save}
      actions={<DialogButtons go="Save" onCancel={onClose} isDisabled={name.trim() === ''} />}
    >
      <TextField label="View name" value={name} onChange={setName} error={problem} isRequired hasFocus />
    </Dialog>
  );
}
