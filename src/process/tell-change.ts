import type { DatabaseTransaction } from '../db/client.ts';
import type { Dependencies } from '../dependencies.ts';
import type { TellChange } from '../identity/changes.ts';

/** Tells each change of people and their rights to the log, where operators look for it until there is a record of its own. */
export const createTellChange =
  ({ log }: Pick<Dependencies, 'log'>): TellChange<DatabaseTransaction> =>
  async (_, { action, by, organisationId, target, details }) => {
    log.info({ action, by, organisationId, target, ...details }, 'changed who may do what');
  };
