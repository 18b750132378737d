import { type Extension, RangeSetBuilder, type Transaction } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from '@codemirror/view';

const MOST_INDENT = 24;

/** A wrapped line continues below its own start, indented by two more characters. */
export const hangingIndent = ViewPlugin.define(
  (view) => ({
    lines: hanging(view),
    update({ docChanged, viewportChanged, view: now }) {
      if (docChanged || viewportChanged) this.lines = hanging(now);
    },
  }),
  { decorations: ({ lines }) => lines },
);

const hangs = new Map<number, Decoration>();

function hanging(view: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges)
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const indent = Math.min(/^ */.exec(line.text)?.[0].length ?? 0, MOST_INDENT);
      const known =
        hangs.get(indent) ??
        Decoration.line({
          attributes: { style: `padding-left: calc(${indent + 2}ch + 2px); text-indent: -${indent + 2}ch` },
        });
      hangs.set(indent, known);
      lines.add(line.from, line.from, known);
      at = line.to + 1;
    }
  return lines.finish();
}

/** The fold marker of a line. */
export function foldMark(isOpen: boolean): HTMLElement {
  const mark = document.createElement('span');
  mark.className = isOpen ? 'is-open' : 'is-closed';
  mark.title = isOpen ? 'Fold' : 'Unfold';
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [name, value] of Object.entries({
    width: '12',
    height: '12',
    viewBox: '0 0 24 24',
    'aria-hidden': 'true',
  }))
    svg.setAttribute(name, value);
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  const shape = {
    d: isOpen ? 'm6 9 6 6 6-6' : 'm9 18 6-6-6-6',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '2',
  };
  for (const [name, value] of Object.entries(shape)) path.setAttribute(name, value);
  svg.append(path);
  mark.append(svg);
  return mark;
}

/**
 * Replaces a selection with the typed text. Chromium would give the text the style of what was there, such as the
 * underline of a problem, in a `style` attribute, which the content security policy blocks.
 */
export const typedOver: Extension = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { main } = view.state.selection;
    if (inputType !== 'insertText' || data === null || main.empty || view.state.readOnly || view.composing)
      return false;
    const insert = (): Transaction =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    // Other extensions handle the typed text first: a bracket goes around the selection.
    const isTaken = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, main.from, main.to, data, insert));
    if (!isTaken) view.dispatch(insert());
    return true;
  },
});
