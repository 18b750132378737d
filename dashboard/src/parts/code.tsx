import { useMemo, useState } from 'react';
import { blocksOf } from '../lib/blocks.ts';
import { prettyPieces, prettyText } from '../lib/raw-json.ts';
import { useTexts } from '../lib/texts.ts';
import { CopyButton } from './copy-button.tsx';
import { JsonTree } from './json-tree.tsx';

/** Text to be copied: lines for a shell, a secret, a body. `label` says what it is. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className="code">
      {/* A region that scrolls must be reached by the keyboard. */}
      <pre tabIndex={0} aria-label={label}>
        {text.length > MOST_AT_ONCE ? <Blocks text={text} /> : text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

/** Longest text that is laid out at once, and drawn with colours: each value is an element of its own, and 10,000 took seconds. */
const MOST_AT_ONCE = 16_384;

/** A long text in blocks, of which the browser lays out those in view alone: a payload of 256 KiB froze the page otherwise. */
const Blocks = ({ text }: { text: string }) =>
  // Blocks have no other name than their place.
  blocksOf(text).map((block, position) => (
    <span key={position} className="block">
      {block}
    </span>
  ));

function Coloured({ json }: { json: string }) {
  return [...prettyPieces(json)].map(({ text, kind }, position) =>
    kind === 'sign' ? (
      text
    ) : (
      // Pieces have no other name than their place.
      <span key={position} className={`json-${kind}`}>
        {text}
      </span>
    ),
  );
}

/** Longest JSON that is shown on lines at first: beyond it, nobody finds a value by scrolling. */
const MOST_ON_LINES = 65_536;

const VIEWS = ['asTree', 'onLines', 'asStored'] as const;
type View = (typeof VIEWS)[number];

/**
 * JSON as a tree, on lines or as it is stored, with every number and text exactly as it came. A copy has the bytes that are stored.
 * `root` begins the paths of its values.
 */
export function JsonText({ json, label, root = '$' }: { json: string; label: string; root?: string }) {
  const t = useTexts();
  const [chosen, setChosen] = useState<View>();
  const view = chosen ?? (json.length > MOST_ON_LINES ? 'asTree' : 'onLines');
  const shown = useMemo(() => {
    if (view === 'asStored') return json;
    if (view === 'asTree') return null;
    return json.length > MOST_AT_ONCE ? <Blocks text={prettyText(json)} /> : <Coloured json={json} />;
  }, [json, view]);
  return (
    <div className="stack">
      {view === 'asTree' ? (
        <JsonTree json={json} label={label} root={root} />
      ) : (
        <div className="code">
          <pre tabIndex={0} aria-label={label}>
            {shown}
          </pre>
          <CopyButton text={json} />
        </div>
      )}
      <div className="buttons">
        {VIEWS.map((each) => (
          <button
            key={each}
            type="button"
            className="button choice"
            aria-pressed={view === each}
            onClick={() => setChosen(each)}
          >
            {t.common[each]}
          </button>
        ))}
      </div>
    </div>
  );
}
