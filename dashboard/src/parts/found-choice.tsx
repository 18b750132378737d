import { useEffect, useId, useRef, useState } from 'react';
import type { FoundKind, NamePair } from '../lib/list-filter.ts';
import { isIdOf } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { FOUND_PREFIXES } from './named-filter.ts';
import { useFoundNames, useSettled } from './use-found.ts';

type Given = {
  id: string;
  kind: FoundKind;
  known: readonly NamePair[];
  value: string;
  onChange: (id: string) => void;
  /** Belongs to a form: a text that names nothing stays, and the form is not sent with it. */
  isField?: boolean;
  placeholder?: string | undefined;
  isWrong?: boolean;
  isRequired?: boolean;
  describedBy?: string;
};

/**
 * Takes one of more things than a list of choices holds: by a part of its name, which is searched for, or by its id. Takes effect when the
 * text is one of them.
 */
function FoundInput(given: Given) {
  const { id, kind, known, value, onChange, isField = false, placeholder, isWrong, isRequired, describedBy } = given;
  const t = useTexts();
  const [text, setText] = useState<string>();
  const wanted = useSettled((text ?? value).trim());
  const all = [...known, ...useFoundNames(kind, wanted, { known })];
  // Two of one name are told apart by their ids.
  const nameOf = ([each, name]: NamePair): string =>
    all.filter(([, other]) => other === name).length > 1 ? `${name} (${each})` : name;
  const idOf = (written: string): string | undefined =>
    written === '' || isIdOf(FOUND_PREFIXES[kind])(written)
      ? written
      : all.find((pair) => nameOf(pair) === written)?.[0];
  const current = all.find(([each]) => each === value);
  const take = (chosen: string | undefined): void => {
    if (chosen === undefined) return;
    setText(undefined);
    if (chosen !== value) onChange(chosen);
  };
  const written = text?.trim() ?? '';
  const meant = text === undefined ? undefined : idOf(written);
  // A whole name that is written, or chosen from the browser's list, holds at once, also where it is found only a moment later.
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    // An id that is written is taken once it is whole: each beginning of one would be another page.
    if (meant !== '' && (meant !== written || /_\w{26}$/.test(written))) latest.current(meant);
  }, [meant, written]);
  const isNothing = isField && text !== undefined && meant === undefined;
  return (
    <>
      <input
        id={id}
        ref={(input) => input?.setCustomValidity(isNothing ? t.list.noSuchName : '')}
        className={isField ? 'input' : 'input text-filter'}
        list={`${id}-all`}
        autoComplete="off"
        placeholder={placeholder}
        required={isRequired}
        aria-invalid={isWrong === true ? true : undefined}
        aria-describedby={describedBy}
        value={text ?? (current === undefined ? value : nameOf(current))}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => {
          take(meant);
          if (!isField) setText(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Chooses, and sends no form: what is written might name nothing yet.
          event.preventDefault();
          take(meant);
        }}
      />
      <datalist id={`${id}-all`}>
        {all.map((pair) => (
          <option key={pair[0]} value={nameOf(pair)} />
        ))}
      </datalist>
    </>
  );
}

/** A filter by such a thing. */
export function FoundChoice({ label, ...given }: Omit<Given, 'id' | 'isField'> & { label: string }) {
  const id = useId();
  return (
    <label htmlFor={id}>
      {label}
      <FoundInput {...given} id={id} />
    </label>
  );
}
