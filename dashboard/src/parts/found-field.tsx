import { useState } from 'react';
import type { FoundKind, NamePair } from '../lib/list-filter.ts';
import type { FieldGiven } from '../ui/field.tsx';
import { SearchSelectField } from '../ui/search-select.tsx';
import { SelectField } from '../ui/select.tsx';
import { shortId } from '../ui/copy.tsx';
import { useFoundNames, useSettled } from './use-found.ts';

/**
 * A field for one thing of a kind, by its name. Where there are more than `known`, others are searched for by what is written. Two of one
 * name are told apart by their IDs.
 */
export function FoundField({
  kind,
  known,
  isMore,
  value,
  onChange,
  placeholder,
  ...field
}: FieldGiven & {
  kind: FoundKind;
  known: readonly NamePair[];
  isMore: boolean;
  value: string;
  onChange: (id: string) => void;
  placeholder?: string;
}) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  const wanted = useSettled(text.trim());
  const found = useFoundNames(kind, wanted, { known, isAsked: isMore && wanted !== chosen?.label });
  const all = [...known, ...found];
  const optionOf = ([id, name]: NamePair) => ({
    value: id,
    label: name,
    note: all.filter(([, other]) => other === name).length > 1 ? shortId(id) : undefined,
  });
  const given = { ...field, value, ...(placeholder !== undefined && { placeholder }) };
  if (!isMore) return <SelectField {...given} options={known.map(optionOf)} onChange={onChange} />;
  const isShown = ([id, name]: NamePair): boolean =>
    text === chosen?.label || id === text || name.toLowerCase().includes(text.trim().toLowerCase());
  const options = all.filter(isShown).map(optionOf);
  return (
    <SearchSelectField
      {...given}
      options={options}
      chosen={chosen}
      onSearch={setText}
      onChange={(id) => {
        setChosen(options.find((option) => option.value === id));
        onChange(id);
      }}
    />
  );
}
