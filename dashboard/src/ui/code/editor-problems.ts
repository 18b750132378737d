import { type Diagnostic, setDiagnostics, setDiagnosticsEffect } from '@codemirror/lint';
import {
  type EditorState,
  type Extension,
  RangeSet,
  StateField,
  type Text,
  type TransactionSpec,
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, gutterLineClass, GutterMarker } from '@codemirror/view';

export type CodeProblem = {
  message: string;
  /** Position in the text. `to`: absent for a problem at a single position, which extends to the end of the word. */
  from?: number;
  to?: number;
  /** Instead of `from`: the line number, from 1. */
  line?: number;
  /** A suggested correction: the user is asked whether they mean it. */
  fix?: string;
};

/** Characters marked for a problem at a single position. */
const REST_OF_WORD = /^(?:[\w-]+|\S)/;

/** Returns where a problem is in a text. Undefined for one that concerns the whole text. */
export function rangeOf({ from, to, line }: CodeProblem, doc: Text): { from: number; to: number } | undefined {
  if (from !== undefined) {
    const begin = Math.max(0, Math.min(from, doc.length));
    if (to !== undefined) return { from: begin, to: Math.max(begin, Math.min(to, doc.length)) };
    const rest = doc.sliceString(begin, doc.lineAt(begin).to);
    return { from: begin, to: begin + (REST_OF_WORD.exec(rest)?.[0].length ?? 0) };
  }
  if (line === undefined) return undefined;
  const { from: start, to: end, text } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return { from: start + text.length - text.trimStart().length, to: end };
}

/** Shows these problems and removes the previous ones. */
export function showProblems(state: EditorState, problems: readonly CodeProblem[]): TransactionSpec {
  const diagnostics = problems.flatMap((problem): Diagnostic[] => {
    const range = rangeOf(problem, state.doc);
    if (range === undefined) return [];
    const { message, fix } = problem;
    return [
      {
        ...range,
        severity: 'error',
        message,
        // For a problem without a position the background of its line is enough.
        ...(problem.from === undefined && { markClass: 'is-line' }),
        ...(fix !== undefined && { actions: [{ name: `Replace with ${fix}`, apply: replaceWith(fix) }] }),
      },
    ];
  });
  return setDiagnostics(state, diagnostics);
}

const replaceWith =
  (insert: string) =>
  (view: EditorView, from: number, to: number): void =>
    view.dispatch({ changes: { from, to, insert }, userEvent: 'input.complete' });

const LINE = Decoration.line({ class: 'has-problem' });
const GUTTER = new (class extends GutterMarker {
  override elementClass = 'has-problem';
})();

const lines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marked, transaction) {
    const effect = transaction.effects.find((each) => each.is(setDiagnosticsEffect));
    if (effect === undefined) return marked.map(transaction.changes);
    const { doc } = transaction.state;
    const starts = new Set(effect.value.map(({ from }) => doc.lineAt(Math.min(from, doc.length)).from));
    return Decoration.set(
      [...starts].map((start) => LINE.range(start)),
      true,
    );
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    gutterLineClass.from(field, (marked) => {
      const starts: number[] = [];
      marked.between(0, Number.MAX_SAFE_INTEGER, (from) => void starts.push(from));
      return RangeSet.of(starts.map((start) => GUTTER.range(start)));
    }),
  ],
});

/** A background for lines with problems: on a long page an underline alone is easily overlooked. */
export const problemLines: Extension = lines;
