import type { ClientBase, Pool } from 'pg';

/** A setting that every connection asks for (connection.ts), and whose absence shows a pooler that drops them. */
export const SESSION_MARK = { name: 'posthorn.session', value: 'own' } as const;

/** SQL: whether the session has what its connection has asked for. */
export const HAS_OWN_SETTINGS = `current_setting('${SESSION_MARK.name}', true) IS NOT DISTINCT FROM '${SESSION_MARK.value}'`;

/**
 * The session lacks the settings of its connection, as one of PgBouncer with `ignore_startup_parameters`: times would be read in another
 * time zone, and prepared statements and locks would be another session's.
 */
export class DroppedSettingsError extends Error {
  readonly code = 'SETTINGS_DROPPED';

  constructor() {
    super('The session lacks the settings of its connection');
  }
}

/** Throws DroppedSettingsError where a pooler stands between. */
export async function refuseDroppedSettings(session: Pick<ClientBase | Pool, 'query'>): Promise<void> {
  const { rows } = await session.query<{ isOwn: boolean }>(`SELECT ${HAS_OWN_SETTINGS} AS "isOwn"`);
  if (rows[0]?.isOwn !== true) throw new DroppedSettingsError();
}
