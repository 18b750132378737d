import type { AuditEntry } from '../api/client.ts';
import { Doer } from './doer.tsx';

const WITHOUT_ID: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  apiKey: 'API key',
  machineCredential: 'Machine credential',
  person: 'Person',
  commandLine: 'Posthorn CLI',
  temporal: 'Temporal',
};

/** The one who has done it: by name where it is known, and those without an ID by their kind alone. */
export const Actor = ({ of: { actor } }: { of: AuditEntry }) =>
  actor.id === undefined ? WITHOUT_ID[actor.kind] : <Doer id={actor.id} />;
