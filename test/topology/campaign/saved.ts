import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Evidence } from '../ledger/entries.ts';
import { readJournal } from './journal.ts';

/** Saves all that is not in the journals beside them, so that the folder can be reconciled again. */
export function saveEvidence(
  folder: string,
  { client: _client, sink: _sink, faults: _faults, ...rest }: Evidence,
): void {
  writeFileSync(join(folder, 'records.json'), JSON.stringify(rest));
}

/** The evidence of a scenario whose folder was kept. */
export function readEvidence(folder: string): Evidence {
  // `as`: only saveEvidence writes it.
  const rest = JSON.parse(readFileSync(join(folder, 'records.json'), 'utf8')) as Omit<
    Evidence,
    'client' | 'sink' | 'faults'
  >;
  return {
    ...rest,
    client: readJournal(join(folder, 'client.jsonl')),
    sink: readJournal(join(folder, 'sink.jsonl')),
    faults: readJournal(join(folder, 'faults.jsonl')),
  };
}
