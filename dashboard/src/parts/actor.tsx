import type { AuditEntry } from '../api/client.ts';
import type { NamePair } from '../lib/list-filter.ts';
import { Doer } from './doer.tsx';

const ACTORS: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  apiKey: 'API key',
  machineCredential: 'Machine credential',
  person: 'Person',
  commandLine: 'Posthorn CLI',
  temporal: 'Temporal',
};

/** The one who has done it: by name where it is known, else by kind and ID, and those without an ID by their kind alone. */
export function Actor({ of: { actor }, names }: { of: AuditEntry; names: readonly NamePair[] }) {
  if (actor.id === undefined) return ACTORS[actor.kind];
  const name = names.find(([id]) => id === actor.id)?.[1];
  if (actor.kind === 'person' || name === undefined) return <Doer id={actor.id} />;
  return `${ACTORS[actor.kind]} ${name}`;
}
