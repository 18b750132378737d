import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder, tooltips } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { type CodeLanguage, type Completions, completionPlace } from './completion.ts';
import { foldMark, hangingIndent, typedOver } from './editor-lines.ts';
import { type CodeProblem, problemLines, rangeOf, showProblems } from './editor-problems.ts';
import { editorTheme } from './editor-theme.ts';
import { languageOf } from './languages.ts';

export type EditorHandle = {
  focus: () => void;
  /** Puts the cursor at a problem and scrolls there. */
  goTo: (problem: CodeProblem) => void;
  /** Applies the suggestion of a problem. */
  mend: (problem: CodeProblem) => void;
};

export type EditorGiven = {
  value: string;
  onChange: (value: string) => void;
  language: CodeLanguage;
  label: string;
  /** Read after the label: the hint and the problems. */
  description: string;
  isInvalid: boolean;
  isReadOnly: boolean;
  isSingleLine: boolean;
  hasLineNumbers: boolean;
  hasFocus: boolean;
  placeholder: string;
  problems: readonly CodeProblem[];
  completions: Completions | undefined;
  /** Called on Enter in a single line, and on Ctrl+Enter otherwise. If absent, the surrounding form is submitted. */
  onSubmit: (() => void) | undefined;
  handle: Ref<EditorHandle>;
  className: string;
};

/** Marks a change that came from outside, which is not reported back. */
const isGiven = Annotation.define<boolean>();

/**
 * CodeMirror in a shadow root. There its styles are adopted sheets; in a document they would be `<style>` elements,
 * which the content security policy blocks.
 */
export default function Editor(given: EditorGiven) {
  const { value, problems, handle, className } = given;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ view: EditorView; settings: Compartment; sent: Set<string> }>(null);
  const latest = useRef(given);
  latest.current = given;

  useLayoutEffect(() => {
    const place = host.current;
    if (place === null) return undefined;
    const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
    const settings = new Compartment();
    const sent = new Set<string>();
    const layer = topLayer();
    root.append(layer);
    layer.showPopover();
    const view = new EditorView({
      root,
      parent: root,
      doc: latest.current.value,
      extensions: [
        settings.of(settingsOf(latest.current)),
        editorTheme,
        problemLines,
        typedOver,
        tooltips({ parent: layer }),
        history(),
        autocompletion({
          override: [completing(() => latest.current)],
          icons: false,
          // Takes precedence over the keys below: Enter accepts the selected completion.
          defaultKeymap: true,
        }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.some((each) => each.annotation(isGiven) === true)) return;
          const text = update.state.doc.toString();
          sent.add(text);
          latest.current.onChange(text);
        }),
        keymap.of(keysOf(() => latest.current, place)),
      ],
    });
    editor.current = { view, settings, sent };
    if (latest.current.hasFocus) view.focus();
    place.addEventListener('keydown', keepKeys);
    return () => {
      place.removeEventListener('keydown', keepKeys);
      view.destroy();
      layer.remove();
      editor.current = null;
    };
  }, []);

  useEffect(() => {
    if (editor.current === null) return;
    const { view, sent } = editor.current;
    const text = view.state.doc.toString();
    if (text === value) sent.clear();
    // A page that renders more slowly than the user types passes a text that is older than theirs.
    else if (!sent.has(value)) view.dispatch({ changes: changeOf(text, value), annotations: isGiven.of(true) });
  }, [value]);

  const { language, label, description, isInvalid, isReadOnly, isSingleLine, hasLineNumbers } = given;
  useEffect(() => {
    const { view, settings } = editor.current ?? {};
    view?.dispatch({ effects: settings?.reconfigure(settingsOf(latest.current)) ?? [] });
  }, [language, label, description, isInvalid, isReadOnly, isSingleLine, hasLineNumbers, given.placeholder]);

  const isEmpty = problems.length === 0;
  const wasEmpty = useRef(true);
  useEffect(() => {
    const view = editor.current?.view;
    if (view === undefined || (isEmpty && wasEmpty.current)) return;
    wasEmpty.current = isEmpty;
    view.dispatch(showProblems(view.state, problems));
  }, [problems, isEmpty]);

  useImperativeHandle(handle, () => ({
    focus: () => editor.current?.view.focus(),
    goTo: (problem) => {
      const view = editor.current?.view;
      const range = view === undefined ? undefined : rangeOf(problem, view.state.doc);
      if (view === undefined || range === undefined) return;
      view.dispatch({
        selection: { anchor: range.from, head: range.to },
        effects: EditorView.scrollIntoView(range.from, { y: 'center' }),
      });
      view.focus();
    },
    mend: (problem) => {
      const view = editor.current?.view;
      const range = view === undefined ? undefined : rangeOf(problem, view.state.doc);
      if (view === undefined || range === undefined || problem.fix === undefined) return;
      view.dispatch({ changes: { ...range, insert: problem.fix }, userEvent: 'input.complete' });
      view.focus();
    },
  }));

  return <div ref={host} className={className} />;
}

/**
 * Holds popups at the cursor above everything else on the page: a dialog is transformed and scrolls, and would cut them
 * off.
 */
function topLayer(): HTMLElement {
  const layer = document.createElement('div');
  layer.popover = 'manual';
  Object.assign(layer.style, {
    inset: '0 auto auto 0',
    width: '0',
    height: '0',
    margin: '0',
    padding: '0',
    border: 'none',
    overflow: 'visible',
    color: 'inherit',
  });
  return layer;
}

/** Settings that the page may change while the editor exists. */
function settingsOf(given: EditorGiven): Extension {
  const { language, label, description, isInvalid, isReadOnly, isSingleLine, hasLineNumbers } = given;
  return [
    languageOf(language),
    EditorState.readOnly.of(isReadOnly),
    given.placeholder === '' ? [] : placeholder(given.placeholder),
    EditorView.contentAttributes.of({
      'aria-label': label,
      // Editable content is a tab stop anyway, but accessibility checkers look for the attribute.
      tabindex: '0',
      'aria-multiline': String(!isSingleLine),
      ...(description !== '' && { 'aria-description': description }),
      ...(isInvalid && { 'aria-invalid': 'true' }),
    }),
    EditorView.editorAttributes.of({ class: isSingleLine ? 'is-single' : hasLineNumbers ? '' : 'is-plain' }),
    isReadOnly ? [] : [closeBrackets(), bracketMatching(), indentOnInput(), indentUnit.of('  ')],
    EditorState.tabSize.of(2),
    EditorState.phrases.of(PHRASES),
    isSingleLine
      ? oneLine
      : [EditorView.lineWrapping, search({ top: true }), hasLineNumbers ? [lineNumbers(), hangingIndent] : []],
    hasLineNumbers && language === 'json' ? foldGutter({ markerDOM: foldMark }) : [],
  ];
}

/** Labels of the search, worded as on all other buttons of the dashboard. */
const PHRASES = {
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regex',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
};

/** Joins pasted lines into one. */
const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
  const text = transaction.newDoc.toString();
  const changes = [...text.matchAll(/\s*\n\s*/g)].map(({ index, 0: found }) => ({
    from: index,
    to: index + found.length,
    insert: index === 0 || index + found.length === text.length ? '' : ' ',
  }));
  return [transaction, { changes, sequential: true }];
});

function keysOf(given: () => EditorGiven, host: HTMLElement) {
  const submit = (): boolean => {
    const { onSubmit } = given();
    const form = host.closest('form');
    if (onSubmit !== undefined) onSubmit();
    else form?.requestSubmit();
    return onSubmit !== undefined || form !== null;
  };
  return [
    // Tab leaves the editor, unless a completion is selected.
    { key: 'Tab', run: acceptCompletion },
    { key: 'Mod-Enter', run: submit },
    { key: 'Enter', run: () => given().isSingleLine && (submit(), true) },
    // The browser's own search finds text in a single line.
    ...searchKeymap.map((binding) => ({
      ...binding,
      run: (view: EditorView) => !given().isSingleLine && (binding.run?.(view) ?? false),
    })),
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...historyKeymap,
    ...foldKeymap,
  ];
}

/**
 * Keeps keys that type text, or that the editor has handled, from the page: outside the shadow root their target does
 * not look like a text field.
 */
function keepKeys(event: KeyboardEvent): void {
  const isWriting = !event.ctrlKey && !event.metaKey && !event.altKey && !/^(?:Escape|Tab|F\d+)$/.test(event.key);
  if (isWriting || event.defaultPrevented) event.stopPropagation();
}

const completing =
  (given: () => EditorGiven): CompletionSource =>
  async ({ state, pos, explicit }) => {
    const { completions, language, isReadOnly } = given();
    if (completions === undefined || isReadOnly) return null;
    const text = state.doc.toString();
    const place = completionPlace(language, text, pos);
    if (place === undefined || (language === 'cel' && place.word === '' && !explicit)) return null;
    const { from, word, before, after } = place;
    const found = await completions({ text, at: pos, word, isAsked: explicit });
    return {
      from,
      // Ask again after a dot, because more may be known by then.
      validFor: /^[\w[\]"'-]*$/,
      options: found.map(({ label, detail, apply = label }) => ({
        label,
        ...(detail !== undefined && { detail }),
        apply: before + apply + after,
      })),
    };
  };

/** Returns the smallest change between two texts, so that the cursor and nearby markers stay. */
function changeOf(old: string, now: string): { from: number; to: number; insert: string } {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return { from: head, to: old.length - tail, insert: now.slice(head, now.length - tail) };
}
