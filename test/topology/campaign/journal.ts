import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** An append-only log: one line of JSON for each entry, written before `write` returns. */
export type Journal<Entry> = { readonly entries: readonly Entry[]; write(entry: Entry): void; close(): void };

export function openJournal<Entry>(path: string): Journal<Entry> {
  const file = openSync(path, 'a');
  const entries: Entry[] = [];
  return {
    entries,
    write(entry) {
      writeSync(file, `${JSON.stringify(entry)}\n`);
      entries.push(entry);
    },
    close: () => closeSync(file),
  };
}

export const readJournal = <Entry>(path: string): Entry[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    // `as`: only openJournal writes these files.
    .map((line) => JSON.parse(line) as Entry);
