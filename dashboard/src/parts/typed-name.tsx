import { type ReactNode, useState } from 'react';
import { useTexts } from '../lib/texts.ts';
import { TextField } from './field.tsx';

/** A field for a name that must be typed before something is done, and whether it stands there. Without a name there is no field. */
export function useTypedName(
  name: string | undefined,
  { hasFocus = false } = {},
): { isTyped: boolean; field: ReactNode } {
  const t = useTexts();
  const [text, setText] = useState('');
  if (name === undefined) return { isTyped: true, field: null };
  return {
    isTyped: text === name,
    field: <TextField label={t.common.typeToConfirm(name)} value={text} onChange={setText} hasFocus={hasFocus} />,
  };
}
