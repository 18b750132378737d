import { useState } from 'react';
import { parsed } from '../../../lib/definition-edit.ts';
import {
  type WrittenProblem,
  problemsInJson,
  problemsInText,
  told,
  toldText,
} from '../../../lib/definition-problems.ts';
import { prettyText } from '../../../lib/raw-json.ts';
import { CodeEditor } from '../../../ui/code/code-editor.tsx';
import type { CodeLanguage, Completions } from '../../../ui/code/completion.ts';
import { TextField } from '../../../ui/field.tsx';

export type WrittenKind = 'plain' | 'template' | 'templates' | 'cel' | 'json' | 'number';

export type WrittenGiven = {
  label: string;
  hint?: string | undefined;
  placeholder?: string | undefined;
  kind: WrittenKind;
  /** The JSON text of the value. Undefined if there is none. */
  raw: string | undefined;
  onChange: (raw: string | undefined) => void;
  /** Its field in the service's notation: `steps[0].config.body`. */
  field: string;
  problems: readonly WrittenProblem[];
  stepIds: readonly string[];
  completions?: Completions | undefined;
  isReadOnly: boolean;
  /** An empty text is a value too: the member stays. */
  isKept?: boolean;
  isMono?: boolean;
};

/**
 * A field for a typed value. While the user is typing it shows its own text, which may not be a valid value yet and is
 * then kept nowhere else; a change of the definition from elsewhere replaces it.
 */
export function WrittenField(given: WrittenGiven) {
  const { kind, raw, onChange, problems, stepIds, field, isReadOnly, isKept = false } = given;
  const [written, setWritten] = useState<{ shown: string; raw: string | undefined; bad?: string | undefined }>();
  const current = written?.raw === raw ? written : undefined;
  const shown = current?.shown ?? shownOf(kind, raw);
  const write = (text: string): void => {
    const bad = kind === 'json' && text.trim() !== '' ? syntaxErrorOf(text) : undefined;
    const next = bad === undefined ? rawOf(kind, text, isKept) : raw;
    setWritten({ shown: text, raw: next, bad });
    if (next !== raw) onChange(next);
  };
  // Other tools replace these.
  const hint = kind !== 'cel' && shown.includes('${') ? 'Only {{ }} is replaced: ${ } is sent as it is' : given.hint;
  const common = {
    label: given.label,
    ...(hint !== undefined && { hint }),
    ...(given.placeholder !== undefined && { placeholder: given.placeholder }),
  };
  if (kind === 'plain' || kind === 'number')
    return (
      <TextField
        {...common}
        value={shown}
        onChange={write}
        error={problems.length === 0 ? undefined : problems.map((each) => toldText(told(each, stepIds))).join('. ')}
        isDisabled={isReadOnly}
        isMono={given.isMono === true}
        {...(kind === 'number' && { inputMode: 'numeric' as const })}
      />
    );
  const language: CodeLanguage = kind === 'json' ? 'json' : kind === 'cel' ? 'cel' : 'template';
  const marks =
    kind === 'json'
      ? problemsInJson(shown, problems, { base: field, ids: stepIds })
      : problemsInText(shown, problems, stepIds);
  return (
    <CodeEditor
      {...common}
      language={language}
      value={shown}
      onChange={write}
      isSingleLine={kind === 'template'}
      {...(kind === 'template' && { onSubmit: () => undefined })}
      hasLineNumbers={kind === 'json' && shown.includes('\n')}
      minLines={kind === 'json' ? 2 : 1}
      maxLines={18}
      problems={current?.bad === undefined ? marks : [{ message: current.bad, line: lineOf(shown) }]}
      {...(given.completions !== undefined && { completions: given.completions })}
      isReadOnly={isReadOnly}
    />
  );
}

function shownOf(kind: WrittenKind, raw: string | undefined): string {
  if (raw === undefined) return '';
  if (kind === 'json') return prettyText(raw);
  const value = parsed(raw);
  return typeof value === 'string' ? value : raw;
}

function rawOf(kind: WrittenKind, shown: string, isKept: boolean): string | undefined {
  if (shown.trim() === '') return isKept ? '""' : undefined;
  if (kind === 'json') return shown.trim();
  if (kind === 'number' && /^(0|[1-9]\d{0,14})$/.test(shown.trim())) return shown.trim();
  return JSON.stringify(shown);
}

function syntaxErrorOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (failure) {
    return failure instanceof Error ? failure.message.replace(/ in JSON at position.*$/, '') : String(failure);
  }
}

function lineOf(text: string): number {
  try {
    JSON.parse(text);
  } catch (failure) {
    const [, position] = /at position (\d+)/.exec(failure instanceof Error ? failure.message : '') ?? [];
    return text.slice(0, position === undefined ? text.length : Number(position)).split('\n').length;
  }
  return 1;
}
