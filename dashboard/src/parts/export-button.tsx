import { useEffect, useRef, useState } from 'react';
import type { Lines } from '../api/client.ts';
import { API } from '../lib/addresses.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Code } from './code.tsx';
import { Dialog } from './dialog.tsx';

/** Rows that the service writes into one file, at most. */
const MOST_ROWS = 100_000;
const FORMATS = ['csv', 'ndjson'] as const;
type Format = (typeof FORMATS)[number];

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The list that leaves: where it stands in the API, what it is narrowed to, and its lines. */
export type Exported = {
  /** Name of the file, without its ending. */
  name: string;
  path: string;
  query: () => Query;
  take: (format: Format) => Lines<unknown>;
  /** The formats that it has. Absent: all of them. */
  formats?: readonly [Format, ...Format[]];
  /** A command of the service that writes such lines too. */
  command?: { line: string; why: string };
};

/** The whole of a list as a file, with the filters of the page, and the same for a shell. */
export function ExportButton(exported: Exported) {
  const t = useTexts();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="button plain" onClick={() => setIsOpen(true)}>
        {t.exports.go}
      </button>
      {isOpen && <ExportDialog {...exported} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function ExportDialog({
  name,
  path,
  query: queryOf,
  take,
  formats = FORMATS,
  command,
  onClose,
}: Exported & { onClose: () => void }) {
  const query = queryOf();
  const t = useTexts();
  const { act } = useActs();
  const [count, setCount] = useState<number>();
  const [isCut, setIsCut] = useState(false);
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  const save = (format: Format): void => {
    setCount(0);
    setIsCut(false);
    let isWhole = false;
    const takeAll = async (): Promise<void> => {
      const parts: string[] = [];
      for await (const line of take(format).texts()) {
        // Nobody waits for the file any more.
        if (isClosed.current) return;
        parts.push(`${line}\n`);
        if (parts.length % 1_000 === 0) setCount(parts.length);
      }
      if (isClosed.current) return;
      download(new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' }), `${name}.${format}`);
      // The first line of a table has the names of its columns.
      isWhole = parts.length - Number(format === 'csv') < MOST_ROWS;
    };
    void act(takeAll, { told: () => (isWhole ? t.common.done : undefined) }).then((isDone) => {
      if (isDone && isWhole) return onClose();
      setIsCut(isDone);
      setCount(undefined);
    });
  };
  return (
    <Dialog title={t.exports.title} onClose={onClose}>
      <div className="form">
        <p className="muted">{t.exports.why}</p>
        <div className="buttons">
          {formats.map((format, place) => (
            <button
              key={format}
              type="button"
              className={place === 0 ? 'button main' : 'button'}
              data-focus={place === 0 || undefined}
              disabled={count !== undefined}
              onClick={() => save(format)}
            >
              {t.exports.formats[format]}
            </button>
          ))}
          <span role="status">{count !== undefined && t.exports.taken(count)}</span>
        </div>
        {isCut && (
          <p className="note" role="status">
            {t.exports.cut}
          </p>
        )}
        <h3>{t.exports.file}</h3>
        <Code
          // A list of one format has no parameter for it.
          text={curlOf(
            `${path}/export`,
            { ...(formats.length > 1 && { format: formats[0] }), ...query },
            `${name}.${formats[0]}`,
          )}
          label={t.exports.file}
        />
        <h3>{t.exports.list}</h3>
        <Code text={curlOf(path, { ...query, limit: '100' })} label={t.exports.list} />
        {command !== undefined && (
          <>
            <h3>{t.exports.command}</h3>
            <p className="muted">{command.why}</p>
            <Code text={command.line} label={t.exports.command} />
          </>
        )}
        <div className="buttons">
          <button type="button" className="button" onClick={onClose}>
            {count === undefined ? t.common.close : t.exports.stop}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** A line for a shell, in which the key stays a name. */
function curlOf(path: string, query: Query, file?: string): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  // A quote is the one character that would end the text: URLSearchParams writes it as %27.
  return `curl -sS --fail-with-body '${API}${path}?${search}' -H "Authorization: Bearer $POSTHORN_KEY"${file === undefined ? '' : ` -o ${file}`}`;
}

function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
