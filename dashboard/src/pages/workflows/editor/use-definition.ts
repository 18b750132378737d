import { useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { api, type Workflow } from '../../../api/client.ts';
import { stepIds } from '../../../lib/definition-edit.ts';
import type { WrittenProblem } from '../../../lib/definition-problems.ts';
import { type FlowGraph, flowOf } from '../../../lib/flow-graph.ts';
import { type JsonSyntaxNode, jsonTree, withValue } from '../../../lib/json-edit.ts';
import { memberText, prettyText } from '../../../lib/raw-json.ts';
import { failureText } from '../../../parts/failure-text.ts';
import { useHere } from '../../../lib/session.ts';
import { type Edits, useEdits } from '../../../parts/use-edits.ts';

/** A definition being edited. Its text is the only place where it is kept. */
export type Draft = {
  text: string;
  tree: JsonSyntaxNode | undefined;
  flow: FlowGraph;
  stepIds: readonly string[];
  problems: readonly WrittenProblem[];
  isReadOnly: boolean;
  /** `at`: changes at one place in quick succession are one undo step. */
  change: (text: string, at?: string) => void;
};

export type WrittenDefinition = {
  draft: Draft;
  /** The text as it was entered, even while it is not valid JSON. */
  text: string;
  /** Why the text is not valid JSON, and in which line. */
  syntax: { message: string; line: number } | undefined;
  edits: Edits<{ text: string }>;
  isChanged: boolean;
  /** Whether the service has validated the present text. */
  isChecked: boolean;
  /** Why the service could not validate the text at all. */
  refusal: string | undefined;
  undo: (() => void) | undefined;
  redo: (() => void) | undefined;
};

/** Returns the parts that an author writes, as they are stored. `text`: the response with the workflow. */
export function definitionOf(text: string): string {
  const parts = ['name', 'description', 'trigger', 'steps'].flatMap((name) => {
    const part = memberText(text, name);
    return part === undefined ? [] : [`"${name}":${part}`];
  });
  return prettyText(`{${parts.join(',')}}`);
}

const CHECK_AFTER_MS = 300;
const EMPTY: FlowGraph = flowOf('{}') ?? { trigger: { kind: '', config: {} }, steps: [], ways: [], isSound: true };

/**
 * The name under which the unsaved text of a new workflow is kept (use-edits.ts): one per template that it started
 * from.
 */
export const newWorkflowKey = (path: string, template: string): string => `${path} workflow new ${template}`;

export function useDefinition({
  workflow,
  template,
  first,
}: {
  workflow: Workflow | undefined;
  /** For a new workflow: its template. */
  template: string;
  first: string;
}): WrittenDefinition {
  const { at, path, may } = useHere();
  const isReadOnly = !may('developer');
  const edits = useEdits(
    { text: first },
    workflow === undefined ? newWorkflowKey(path, template) : `${path} workflow ${workflow.id}`,
  );
  const { text } = edits.values;
  const syntax = useMemo(() => syntaxOf(text), [text]);
  // The canvas shows the latest text that was valid JSON.
  const latest = useRef(text);
  if (syntax === undefined) latest.current = text;
  const good = latest.current;
  const tree = useMemo(() => jsonTree(good), [good]);
  const flow = useMemo(() => flowOf(good) ?? EMPTY, [good]);
  const ids = useMemo(() => stepIds(good, tree), [good, tree]);
  const written = useDeferredValue(text);
  const verdict = useQuery({
    queryKey: [path, 'validation', workflow?.id, written],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, CHECK_AFTER_MS));
      signal.throwIfAborted();
      // Validated as an update of the workflow: it may not start itself, and what is left out stays.
      const asked = workflow === undefined ? written : withValue(written, ['id'], JSON.stringify(workflow.id));
      return { of: written, ...(await api.workflows.validate(asked, { ...at, signal })) };
    },
    enabled: syntax === undefined && !isReadOnly,
    retry: false,
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const { data: found } = verdict;
  const problems = useMemo(() => (syntax === undefined && found?.valid === false ? found.errors : []), [syntax, found]);
  const history = useHistory(text, (next) => edits.write({ text: next }));
  const draft = useMemo(
    (): Draft => ({
      text: good,
      tree,
      flow,
      stepIds: ids,
      problems,
      isReadOnly: isReadOnly || syntax !== undefined,
      change: history.change,
    }),
    [good, tree, flow, ids, problems, isReadOnly, syntax, history.change],
  );
  return {
    draft,
    text,
    syntax,
    edits,
    isChanged: 'text' in edits.written,
    isChecked: found?.of === text,
    refusal: syntax === undefined && verdict.error !== null ? failureText(verdict.error) : undefined,
    undo: isReadOnly ? undefined : history.undo,
    redo: isReadOnly ? undefined : history.redo,
  };
}

const TOGETHER_MS = 800;
const MOST_STEPS = 200;

/** The texts before and after the present one. */
function useHistory(text: string, write: (text: string) => void) {
  const [past, setPast] = useState<readonly string[]>([]);
  const [future, setFuture] = useState<readonly string[]>([]);
  const last = useRef<{ at: string; time: number }>(undefined);
  const now = useRef({ text, write });
  now.current = { text, write };
  const change = useCallback((next: string, at = ''): void => {
    const { text: before } = now.current;
    if (next === before) return;
    const time = Date.now();
    const isSame = at !== '' && last.current?.at === at && time - last.current.time < TOGETHER_MS;
    last.current = { at, time };
    if (!isSame) setPast((all) => [...all, before].slice(-MOST_STEPS));
    setFuture([]);
    // A further change at the same moment builds on this one.
    now.current = { ...now.current, text: next };
    now.current.write(next);
  }, []);
  const previous = past.at(-1);
  const following = future.at(-1);
  const step = (to: string, from: 'past' | 'future'): void => {
    last.current = undefined;
    (from === 'past' ? setPast : setFuture)((all) => all.slice(0, -1));
    (from === 'past' ? setFuture : setPast)((all) => [...all, text]);
    write(to);
  };
  return {
    change,
    undo: previous === undefined ? undefined : () => step(previous, 'past'),
    redo: following === undefined ? undefined : () => step(following, 'future'),
  };
}

/** Returns the browser's error for a text that is not valid JSON, and its line. */
function syntaxOf(text: string): WrittenDefinition['syntax'] {
  try {
    JSON.parse(text);
    return undefined;
  } catch (failure) {
    const error = failure instanceof Error ? failure.message : String(failure);
    const [, position] = /at position (\d+)/.exec(error) ?? [];
    const before = text.slice(0, position === undefined ? text.length : Number(position));
    const message = error.replace(/ in JSON at position.*$/, '').replace(/,? ?"[\s\S]*" is not valid JSON$/, '');
    return { message, line: before.split('\n').length };
  }
}

/** Undo and redo keys, unless the user is typing: a text field has its own. */
export function useUndoKeys({ undo, redo }: Pick<WrittenDefinition, 'undo' | 'redo'>): void {
  const now = useRef({ undo, redo });
  now.current = { undo, redo };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.metaKey || event.ctrlKey) || event.altKey || event.defaultPrevented) return;
      const { target } = event;
      if (target instanceof Element && target.closest('input, textarea, [contenteditable]') !== null) return;
      const key = event.key.toLowerCase();
      const act =
        key === 'z'
          ? event.shiftKey
            ? now.current.redo
            : now.current.undo
          : key === 'y'
            ? now.current.redo
            : undefined;
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** The edited name. */
export function nameIn(text: string): string | undefined {
  const raw = memberText(text, 'name');
  const value: unknown = raw === undefined ? undefined : JSON.parse(raw);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
