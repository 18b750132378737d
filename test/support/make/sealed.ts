import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { KeyRing } from '../../../src/platform/credentials/key-ring.ts';
import { createNewId } from '../../../src/platform/new-id.ts';
import { secretContext } from '../../../src/platform/outbound/sign.ts';

const newId = createNewId(Date.now);

/**
 * Inserts rows encrypted with the ring's first key: signing secrets of one subscription, stored responses, machine credentials, each
 * with a key of access tokens, authenticator apps, secrets of inbound webhooks, secrets and connections of workflows (`texts`).
 */
export async function insertSealed(
  pool: Pool,
  ring: KeyRing,
  {
    secrets,
    answers,
    clients = 0,
    people = 0,
    webhooks = 0,
    texts = 0,
  }: Record<'secrets' | 'answers', number> & { clients?: number; people?: number; webhooks?: number; texts?: number },
): Promise<void> {
  const [subscriptionId, channelId, environmentId] = [newId('subscription'), newId('channel'), newId('environment')];
  await pool.query(
    `WITH organisation AS (INSERT INTO organisations (id, name, updated_at) VALUES ($1, 'o', now())),
       app AS (INSERT INTO apps (id, organisation_id, name, slug, updated_at) VALUES ($2, $1, 'a', 'a', now())),
       environment AS (INSERT INTO environments (id, app_id, organisation_id, kind) VALUES ($3, $2, $1, 'live')),
       channel AS (INSERT INTO channels (id, environment_id, name, updated_at) VALUES ($4, $3, 'c', now()))
     INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, event_types, max_retries, initial_delay,
       max_delay, backoff_multiplier, updated_at)
     VALUES ($5, $3, $4, 's', 'https://example.com/', '{}', 1, 1000, 1000, 1, now())`,
    [newId('organisation'), newId('app'), environmentId, channelId, subscriptionId],
  );
  for (let n = 0; n < secrets; n += 1) {
    const id = newId('secret');
    await pool.query('INSERT INTO subscription_secrets (id, subscription_id, ciphertext) VALUES ($1, $2, $3)', [
      id,
      subscriptionId,
      ring.encrypt(`whsec_${n}`, secretContext(id)),
    ]);
  }
  for (let n = 0; n < clients; n += 1) {
    const [id, secretId] = [newId('machineCredential'), newId('secret')];
    await pool.query(
      `INSERT INTO machine_credentials (id, environment_id, name, tier, scopes) VALUES ($1, $2, 'm', 'free', '{}')`,
      [id, environmentId],
    );
    await pool.query(
      `INSERT INTO machine_credential_secrets (id, machine_credential_id, ciphertext, last4) VALUES ($1, $2, $3, 'last')`,
      [secretId, id, ring.encrypt(`ocs_${n}`, `machine_credential_secrets|ciphertext|${secretId}`)],
    );
    await pool.query(
      `INSERT INTO token_signing_keys (number, id, public_key, private_key, active_from)
       SELECT count(*) + 1, $1, '{}', $2, now() FROM token_signing_keys`,
      [secretId, ring.encrypt('{}', `token_signing_keys|private_key|${secretId}`)],
    );
  }
  for (let n = 0; n < webhooks; n += 1) {
    const [id, secretId] = [newId('webhook'), newId('secret')];
    await pool.query(
      `INSERT INTO inbound_webhooks (id, position, environment_id, channel_id, name, scheme, settings, created_at, updated_at)
       VALUES ($1, $1, $2, $3, 'w', 'body', '{}', now(), now())`,
      [id, environmentId, channelId],
    );
    await pool.query('INSERT INTO inbound_webhook_secrets (id, inbound_webhook_id, ciphertext) VALUES ($1, $2, $3)', [
      secretId,
      id,
      ring.encrypt(`whsec_${n}`, `inbound_webhook_secrets|ciphertext|${secretId}`),
    ]);
  }
  for (let n = 0; n < texts; n += 1) {
    const id = newId('secret');
    await pool.query(
      `INSERT INTO secrets (id, environment_id, name, ciphertext, created_at, updated_at) VALUES ($1, $2, $1, $3, now(), now())`,
      [id, environmentId, ring.encrypt('a token', `secrets|ciphertext|${id}`)],
    );
    const connectionId = newId('connection');
    await pool.query(
      `INSERT INTO connections (id, environment_id, connector, name, ciphertext, created_at, updated_at)
       VALUES ($1, $2, 'slack', 'c', $3, now(), now())`,
      [connectionId, environmentId, ring.encrypt('{}', `connections|ciphertext|${connectionId}`)],
    );
  }
  for (let n = 0; n < people; n += 1) {
    const id = newId('user');
    await pool.query(`INSERT INTO users (id, email, name, updated_at) VALUES ($1, $1, 'u', now())`, [id]);
    await pool.query(
      'INSERT INTO totp_factors (user_id, ciphertext, created_at, confirmed_at) VALUES ($1, $2, now(), now())',
      [id, ring.encrypt('JBSWY3DPEHPK3PXP', `totp_factors|ciphertext|${id}`)],
    );
  }
  for (let n = 0; n < answers; n += 1) {
    const id = randomBytes(32);
    await pool.query(
      `INSERT INTO idempotency_keys (id, environment_id, request_hash, status, sealed_body, expires_at)
       VALUES ($1, $2, $1, 201, $3, now() + interval '1 day')`,
      [id, environmentId, ring.encrypt('{}', `idempotency_keys|sealed_body|${id.toString('hex')}`)],
    );
  }
}

const SEALED_FORM = '^v1\\.[A-Za-z0-9_-]{1,32}\\.[A-Za-z0-9_-]{16}\\.[A-Za-z0-9_-]+$';

/** Returns every text of the database in the encrypted format, except the check values of keys, with its table and column. */
export async function sealedTexts(pool: Pool): Promise<{ place: string; sealed: string }[]> {
  const { rows: columns } = await pool.query<{ table: string; column: string }>(
    `SELECT c.table_name AS "table", c.column_name AS "column" FROM information_schema.columns c
     WHERE c.table_schema = 'public' AND c.data_type IN ('text', 'character varying', 'json', 'jsonb')
       AND c.table_name <> 'encryption_keys' ORDER BY 1, 2`,
  );
  const found = [];
  for (const { table, column } of columns) {
    const { rows } = await pool.query<{ sealed: string }>(
      `SELECT "${column}"::text AS sealed FROM "${table}" WHERE "${column}"::text ~ $1`,
      [SEALED_FORM],
    );
    found.push(...rows.map(({ sealed }) => ({ place: `${table}.${column}`, sealed })));
  }
  return found;
}
