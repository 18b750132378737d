import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { api, type Lines, type Page, type RequestOptions } from '../api/client.ts';
import { endpointOf } from '../api/requests.ts';
import { API } from '../lib/addresses.ts';
import { createLinesFile, createTableFile, MOST_READ, readRows } from '../lib/list-file.ts';
import { download } from '../lib/download.ts';
import { useActs } from './acts.tsx';
import { Button } from '../ui/button.tsx';
import { CodeLines } from '../ui/code-lines.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FailureNote } from './failure-note.tsx';

/** Most rows that the service writes to one file. */
const MOST_ROWS = 100_000;
/** How long to wait when a list of many pages is rate-limited: a user's limits are counted per minute. */
const RETRIES = { max: 4, withinMs: 60_000 };
const FORMATS = ['csv', 'ndjson'] as const;
type Format = (typeof FORMATS)[number];
const FORMAT_NAMES: Readonly<Record<Format, string>> = { csv: 'CSV', ndjson: 'JSON Lines' };

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The list to export: its path in the API and its filters. */
export type Exported = {
  /** Name of the file, without its extension. */
  name: string;
  path: string;
  query: () => Query;
} & (FromService | FromPages);

/** The service writes the file. */
type FromService = {
  take: (format: Format) => Lines<unknown>;
  /** The formats that the service offers. If absent: all. */
  formats?: readonly [Format, ...Format[]];
  /** A Posthorn command that writes the same lines. */
  command?: { line: string; why: string };
};

/** The browser writes the file from the pages of the list, requested in the environment of the page. */
type FromPages = {
  at: Pick<RequestOptions, 'place'>;
  /** If absent, the list has pages of 100 rows, as all others have. */
  paging?: Paging;
};

/** Paging of a list whose page size is fixed. */
export type Paging = {
  /** The member of a response that holds its rows. */
  member: string;
  /** The query parameter, with its value, that requests the page after a response. Undefined after the last page. */
  parameter: string;
  nextOf: (answer: unknown) => number | undefined;
};

/**
 * Exports a whole list as a file, with the filters of the page, and shows the equivalent shell command. `what`
 * distinguishes several export buttons on a page.
 */
export function ExportButton({ of, what }: { of: Exported; what?: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        icon={Download}
        onClick={() => setIsOpen(true)}
        {...(what !== undefined && { label: `Export ${what}` })}
        className="max-md:hidden"
      >
        Export
      </Button>
      {isOpen && <ExportDialog of={of} onClose={() => setIsOpen(false)} />}
    </>
  );
}

export function ExportDialog({ of, onClose }: { of: Exported; onClose: () => void }) {
  const { name, path } = of;
  const query = of.query();
  const isOfService = 'take' in of;
  const { formats = FORMATS, command } = isOfService ? of : {};
  const { act } = useActs();
  const [count, setCount] = useState<number>();
  const [isCut, setIsCut] = useState(false);
  const [failed, setFailed] = useState<{ error: unknown; format: Format }>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = (format: Format): void => {
    running.current = new AbortController();
    const { signal } = running.current;
    setCount(0);
    setIsCut(false);
    setFailed(undefined);
    let isWhole = false;
    const takeAll = async (): Promise<void> => {
      const taken = await ('take' in of
        ? linesOfService(of.take(format), { format, told: setCount, signal })
        : linesOfPages({ ...of, query }, { format, told: setCount, signal }));
      // The export was cancelled meanwhile.
      if (signal.aborted) return;
      const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
      download(new Blob(taken.parts, { type }), `${name}.${format}`);
      isWhole = !taken.isCut;
    };
    void act(takeAll, {
      told: () => (isWhole ? 'File saved' : undefined),
      onFailure: (error) => signal.aborted || setFailed({ error, format }),
    }).then((isDone) => {
      if (isDone && isWhole) return onClose();
      setIsCut(isDone);
      setCount(undefined);
    });
  };
  const limit = isOfService ? 'the newest 100,000 rows' : `the first ${MOST_READ.toLocaleString('en-US')} rows`;
  return (
    <Dialog
      title="Export"
      size="wide"
      onClose={onClose}
      description={`All rows that match the filters, up to ${limit}.`}
      actions={<Button onClick={onClose}>{count === undefined ? 'Close' : 'Stop'}</Button>}
    >
      <div className="flex flex-wrap items-center gap-2">
        {formats.map((format, place) => (
          <Button
            key={format}
            look={place === 0 ? 'primary' : 'default'}
            icon={Download}
            isDisabled={count !== undefined}
            onClick={() => save(format)}
          >
            {FORMAT_NAMES[format]}
          </Button>
        ))}
        <span role="status" className="text-text-2">
          {count !== undefined && `${count.toLocaleString('en-US')} rows`}
        </span>
      </div>
      {failed !== undefined && (
        <FailureNote error={failed.error} onRetry={() => save(failed.format)}>
          Nothing was saved.
        </FailureNote>
      )}
      {isCut && (
        <p role="status" className="text-text-2">
          Limited to {limit}
        </p>
      )}
      {isOfService && (
        <CodeLines
          title="The file by cURL"
          // A list with a single format has no parameter for it.
          text={curlOf(
            `${path}/export`,
            { ...(formats.length > 1 && { format: formats[0] }), ...query },
            `${name}.${formats[0]}`,
          )}
        />
      )}
      {endpointOf({ method: 'GET', url: API + path })?.isPersonal === true ? (
        <p className="text-text-2">Not available with an API key</p>
      ) : (
        <CodeLines title="The list by cURL" text={curlOf(path, 'paging' in of ? query : { ...query, limit: '100' })} />
      )}
      {command !== undefined && <CodeLines title="Posthorn CLI" text={command.line} note={command.why} />}
    </Dialog>
  );
}

type Taking = { format: Format; told: (count: number) => void; signal: AbortSignal };
type Taken = { parts: string[]; isCut: boolean };

async function linesOfService(lines: Lines<unknown>, { format, told, signal }: Taking): Promise<Taken> {
  const parts: string[] = [];
  for await (const line of lines.texts()) {
    if (signal.aborted) break;
    parts.push(`${line}\n`);
    if (parts.length % 1_000 === 0) told(parts.length);
  }
  // The first line of a table contains the names of its columns.
  return { parts, isCut: parts.length - Number(format === 'csv') >= MOST_ROWS };
}

type AskedPages = FromPages & { path: string; query: Query };

async function linesOfPages({ path, query, at, paging }: AskedPages, { format, told, signal }: Taking): Promise<Taken> {
  const file = format === 'csv' ? createTableFile() : createLinesFile();
  const read = async (page: { limit: number; cursor: string | undefined }) => {
    const asked = {
      method: 'GET',
      path,
      query: { ...query, ...(paging === undefined ? page : { [paging.parameter]: page.cursor }) },
    };
    const { data, text } = await api.request(asked, { ...at, signal, retries: RETRIES }).withAnswer();
    if (paging !== undefined) return { text, member: paging.member, cursor: paging.nextOf(data)?.toString() };
    // `as`: every other list of the service responds with pages.
    return { text, cursor: (data as Page<unknown>).pagination.cursor };
  };
  const { isCut } = await readRows(read, file, { most: MOST_READ, told });
  return { parts: file.parts(), isCut };
}

/** Returns a shell command in which the key is a variable. */
function curlOf(path: string, query: Query, file?: string): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  // A single quote is the only character that would end the text; URLSearchParams writes it as %27.
  return `curl -sS --fail-with-body '${API}${path}?${search}' -H "Authorization: Bearer $POSTHORN_KEY"${file === undefined ? '' : ` -o ${file}`}`;
}
