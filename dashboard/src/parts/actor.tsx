import type { AuditEntry } from '../api/client.ts';
import { Doer } from './doer.tsx';

const WITHOUT_ID: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  apiKey: 'API key',
  machineCredential: 'Machine credential',
  person: 'Person',
  commandLine: 'Posthorn CLI',
  temporal: 'Temporal',
};

/** The actor of an event: by name if it is known; an actor without an id only by its kind. */
export const Actor = ({ of: { actor } }: { of: AuditEntry }) =>
  actor.id === undefined ? WITHOUT_ID[actor.kind] : <Doer id={actor.id} />;
