import { useDeferredValue, useId, useMemo, useRef } from 'react';
import { jsonTree, nearestNode, pathOf } from '../lib/json-edit.ts';
import { prettyText } from '../lib/raw-json.ts';
import { useTexts } from '../lib/texts.ts';
import { State } from './state.tsx';

const LINE_PX = 20;

type Problem = { field: string; reason: string };
/** A fault at its place: up to the end of the line where it begins. */
type Mark = { from: number; to: number; line: number; problem: Problem };

type Given = {
  label: string;
  hint: string;
  text: string;
  onChange: (text: string) => void;
  /** Why the text is no JSON. */
  badJson: string | undefined;
  problems: readonly Problem[];
  isReadOnly: boolean;
};

/** JSON with numbers of lines, and each fault at the place that it is about: in the line, and in a list that leads there. */
export function JsonEditor({ label, hint, text, onChange, badJson, problems, isReadOnly }: Given) {
  const t = useTexts();
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const shown = useDeferredValue(text);
  const marks = useMemo(() => marksOf(shown, problems), [shown, problems]);
  const count = shown.split('\n').length;
  const goTo = ({ from, to, line }: Mark): void => {
    const field = area.current;
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(from, to);
    field?.closest('.json-edit')?.scrollTo({ top: Math.max(0, (line - 4) * LINE_PX) });
  };
  return (
    <div className="stack">
      <div className="heading">
        <label htmlFor={id}>
          <strong>{label}</strong>
        </label>
        <button
          type="button"
          className="button plain"
          disabled={badJson !== undefined || isReadOnly}
          onClick={() => onChange(prettyText(text))}
        >
          {t.common.onLines}
        </button>
      </div>
      <div className="json-edit">
        <pre aria-hidden="true" className="line-numbers">
          {Array.from({ length: count }, (_, index) => index + 1).join('\n')}
        </pre>
        <div className="written">
          <pre aria-hidden="true">
            <Marked text={shown} marks={marks} />
          </pre>
          <textarea
            ref={area}
            id={id}
            value={text}
            wrap="off"
            spellCheck={false}
            autoComplete="off"
            readOnly={isReadOnly}
            aria-invalid={badJson !== undefined || marks.length > 0 ? true : undefined}
            aria-describedby={`${id}-more`}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      </div>
      <div id={`${id}-more`} className="field">
        {badJson !== undefined && <div className="problem">{badJson}</div>}
        <div className="hint">{hint}</div>
      </div>
      <div aria-live="polite">
        {badJson === undefined && marks.length > 0 && (
          <ul className="stack">
            {marks.map((mark) => (
              <li key={`${mark.problem.field} ${mark.problem.reason}`}>
                <button type="button" className="button plain" onClick={() => goTo(mark)}>
                  <State of="failed" word={t.definition.line(mark.line)} />
                </button>{' '}
                <code>{mark.problem.field}</code> {mark.problem.reason}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function marksOf(text: string, problems: readonly Problem[]): Mark[] {
  const tree = jsonTree(text);
  if (tree === undefined) return [];
  return problems
    .map((problem) => {
      const { from, end } = nearestNode(tree, pathOf(problem.field));
      const endOfLine = text.indexOf('\n', from);
      return {
        from,
        to: endOfLine === -1 ? end : Math.min(end, endOfLine),
        line: text.slice(0, from).split('\n').length,
        problem,
      };
    })
    .toSorted((a, b) => a.from - b.from);
}

/** The text behind what is written: unseen, but for its marks, and what is wrong behind the lines. */
function Marked({ text, marks }: { text: string; marks: readonly Mark[] }) {
  let at = 0;
  const pieces = marks.flatMap((mark, index) => {
    const from = Math.max(at, mark.from);
    const to = Math.max(from, mark.to);
    const end = text.indexOf('\n', to);
    const isLast = marks[index + 1]?.line !== mark.line;
    const ofLine = marks.filter(({ line }) => line === mark.line).map(({ problem }) => problem.reason);
    const before = text.slice(at, from);
    at = to;
    const rest = isLast ? text.slice(to, end === -1 ? text.length : end) : '';
    if (isLast) at = end === -1 ? text.length : end;
    return [
      before,
      // Two faults may stand at one place in the same words: marks of one name would stay when their faults have gone.
      <mark key={`mark ${index}`}>{text.slice(from, to)}</mark>,
      rest,
      isLast && (
        <span key={`line ${mark.line}`} className="said">
          ■ {ofLine.join('; ')}
        </span>
      ),
    ];
  });
  return (
    <>
      {pieces}
      {text.slice(at)}
      {'\n'}
    </>
  );
}
