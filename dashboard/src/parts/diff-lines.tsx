import { lineDiff, shortened } from '../lib/line-diff.ts';
import { useTexts } from '../lib/texts.ts';

type Given = {
  before: string;
  after: string;
  /** Id of the heading that says which texts these are. */
  labelledBy: string;
  /** Said where no line differs. */
  same: string;
};

/** Two texts as one: the lines that went, those that came, and those around them. */
export function DiffLines({ before, after, labelledBy, same }: Given) {
  const t = useTexts();
  const lines = shortened(lineDiff(before, after));
  if (lines.every((line) => typeof line === 'number')) return <p>{same}</p>;
  return (
    <div className="code">
      <pre className="diff" tabIndex={0} role="region" aria-labelledby={labelledBy}>
        {lines.map((line, place) =>
          typeof line === 'number' ? (
            <span key={place} className="muted">{`⋯ ${t.workflows.equalLines(line)}\n`}</span>
          ) : line.kind === 'removed' ? (
            <del key={place}>{`− ${line.text}\n`}</del>
          ) : line.kind === 'added' ? (
            <ins key={place}>{`+ ${line.text}\n`}</ins>
          ) : (
            <span key={place}>{`  ${line.text}\n`}</span>
          ),
        )}
      </pre>
    </div>
  );
}
