import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { api } from '../api/client.ts';
import { isIdOf } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';

/** A page of names is read for choices: with so many there may be more. */
export const FULL = 100;
/** A question for each letter would be many for one word. */
const PAUSE_MS = 250;
const PREFIXES = { channel: 'chn', subscription: 'sub' } as const;

type Pair = readonly [id: string, name: string];

/** The text itself, once nobody has written for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/**
 * Chooses one of more channels or subscriptions than a list of choices holds: by a part of its name, which is searched for, or by its id.
 * Takes effect when the text is one of them.
 */
export function FoundChoice({
  kind,
  label,
  known,
  value,
  onChange,
}: {
  kind: keyof typeof PREFIXES;
  label: string;
  known: readonly Pair[];
  value: string;
  onChange: (id: string) => void;
}) {
  const id = useId();
  const { at, path } = useHere();
  const [text, setText] = useState<string>();
  const wanted = useSettled((text ?? value).trim());
  const found = useQuery({
    queryKey: [path, 'find', kind, wanted],
    queryFn: async () => (await api.search.find({ q: wanted }, at)).data,
    enabled: wanted !== '' && !known.some(([each, name]) => each === wanted || name === wanted),
    staleTime: 30_000,
    placeholderData: (before) => before,
  });
  const hits = (found.data ?? []).flatMap((hit): Pair[] => (hit.kind === kind ? [[hit.id, hit.summary]] : []));
  const all = [...known, ...hits.filter(([each]) => !known.some(([other]) => other === each))];
  // Two of one name are told apart by their ids.
  const nameOf = ([each, name]: Pair): string =>
    all.filter(([, other]) => other === name).length > 1 ? `${name} (${each})` : name;
  const idOf = (written: string): string | undefined =>
    written === '' || isIdOf(PREFIXES[kind])(written) ? written : all.find((pair) => nameOf(pair) === written)?.[0];
  const current = all.find(([each]) => each === value);
  const take = (written: string): void => {
    const chosen = idOf(written.trim());
    if (chosen === undefined) return;
    setText(undefined);
    if (chosen !== value) onChange(chosen);
  };
  return (
    <label htmlFor={id}>
      {label}
      <input
        id={id}
        className="input text-filter"
        list={`${id}-all`}
        value={text ?? (current === undefined ? value : nameOf(current))}
        onChange={(event) => {
          const written = event.target.value;
          setText(written);
          // A choice of the browser's list is the whole name at once.
          if (all.some((pair) => nameOf(pair) === written)) take(written);
        }}
        onBlur={(event) => {
          take(event.target.value);
          setText(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take(event.currentTarget.value);
        }}
      />
      <datalist id={`${id}-all`}>
        {all.map((pair) => (
          <option key={pair[0]} value={nameOf(pair)} />
        ))}
      </datalist>
    </label>
  );
}
