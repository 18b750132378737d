import { createHash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import { connectorOf } from '../connectors/catalogue/catalogue.ts';
import type { OAuth } from '../connectors/catalogue/connector.ts';
import { openSealed, type Pending, type Sealed, sealConnection, type ProviderTokens } from './sealed.ts';
import { authorizationUrl, exchangeCode, AuthorizationServerError, type Send } from './provider.ts';
import { lockTokens, type TokenRow, useState, writeTokens } from './token-store.ts';
import { pageHeaders, type PublicFile, publicFile } from '../../api/http/public-files.ts';

/** Redirect URI of OAuth clients, relative to PUBLIC_BASE_URL. */
export const CALLBACK = '/oauth/connections/callback';

/** Results of an authorization, with the texts for the person who returns from the provider. */
const OUTCOMES = {
  connected: ['Connected', 'You may close this window.'],
  denied: ['Not connected', 'The provider says that you did not give consent. Nothing was changed.'],
  expired: [
    'Not connected',
    'This authorization has expired, was already used or does not exist. Nothing was changed; ask for a new link.',
  ],
  refused: [
    'Not connected',
    'The provider did not return a usable token. Nothing was changed; check the client and its redirect URI, and ask for a new link.',
  ],
  unreachable: [
    'Not connected',
    'The provider cannot be reached at the moment. Nothing was changed; ask for a new link later.',
  ],
} as const;
export type ConsentOutcome = keyof typeof OUTCOMES;

export const pageOfOutcome = (outcome: ConsentOutcome): string => `/oauth/connections/${outcome}`;

/** How long a person may take at the provider. */
const LIFE_MS = 600_000;

/** 256 random bits, in a format that is valid for a PKCE verifier (RFC 7636, section 4.1). */
const random = (): string => randomBytes(32).toString('base64url');
const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();

export type Begun = { url: string; expiresAt: Date; stateHash: Buffer; pending: Pending };

/** Starts an authorization. Does not store anything yet. */
export async function beginAt(
  auth: OAuth,
  { credentials }: Sealed,
  { redirectUri, by, now }: { redirectUri: string; by: Pending['by']; now: Date },
): Promise<Begun> {
  const [state, verifier] = [random(), random()];
  const expiresAt = new Date(now.getTime() + LIFE_MS);
  return {
    url: await authorizationUrl(auth, credentials, { redirectUri, state, verifier }),
    expiresAt,
    stateHash: hashOf(state),
    pending: { verifier, expiresAt: expiresAt.toISOString(), by },
  };
}

/**
 * Completes the authorization of a browser that has returned with this query. The browser is not authenticated: its
 * state identifies the connection, once. Existing tokens stay until there are new ones.
 */
export const createFinish =
  (deps: {
    pool: Pool;
    keyRing: KeyRing;
    clock: Dependencies['clock'];
    log: Dependencies['log'];
    sender: Send;
    redirectUri: string;
    audit: { record: RecordAudit };
  }) =>
  async (query: string): Promise<ConsentOutcome> => {
    const { pool, keyRing, clock, log, sender, redirectUri } = deps;
    const url = new URL(redirectUri + query);
    const names = [...url.searchParams.keys()];
    // With duplicate parameters it is not clear which value the provider sent (RFC 6749, section 3.1). The state is not
    // used up.
    if (new Set(names).size < names.length) return 'refused';
    const state = url.searchParams.get('state') ?? '';
    const row = state === '' ? undefined : await useState(pool, hashOf(state));
    if (row === undefined) return 'expired';
    const { id, connectorId } = row;
    const { credentials, oauth } = openedOr(keyRing, row);
    const pending = oauth?.pending;
    const auth = connectorOf(connectorId)?.auth;
    const now = clock();
    if (pending === undefined || auth?.type !== 'oauth2' || new Date(pending.expiresAt) <= now) return 'expired';
    try {
      const asked = { sender, auth, credentials, now };
      const tokens = await exchangeCode(asked, url, { state, verifier: pending.verifier });
      return (await keep(deps, row, { pending, tokens })) ? 'connected' : 'expired';
    } catch (error) {
      if (!(error instanceof AuthorizationServerError)) throw error;
      const { refusal, message } = error;
      // Logged without its cause, which may contain the provider's response.
      log.warn(
        { connectionId: id, connectorId, refusal, reason: message },
        'an authorization of a connection failed: the connection is unchanged until a person starts another one',
      );
      return refusal === 'revoked' ? 'refused' : refusal;
    }
  };

/** A row that cannot be decrypted has no pending authorization. */
function openedOr(keyRing: KeyRing, row: TokenRow): Sealed {
  try {
    return openSealed(keyRing, row);
  } catch {
    return { credentials: {} };
  }
}

/** Stores tokens, unless the connection was changed or deleted during the request to the provider. */
const keep = (
  { pool, keyRing, audit }: Parameters<typeof createFinish>[0],
  { environmentId, id }: TokenRow,
  { pending, tokens }: { pending: Pending; tokens: ProviderTokens },
): Promise<boolean> =>
  inTransaction(pool, async (connection) => {
    const row = await lockTokens(connection, environmentId, id);
    if (row === undefined) return false;
    const { credentials, oauth } = openSealed(keyRing, row);
    if (oauth?.pending?.verifier !== pending.verifier) return false;
    const ciphertext = sealConnection(keyRing, id, { credentials, oauth: { tokens } });
    await writeTokens(connection, row, { ciphertext, hasTokens: true, isNew: true });
    await audit.record(connection, pending.by, { action: 'connection.authorized', target: { id } });
    return true;
  });

const HEADERS = pageHeaders(["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]);

/** Serves the pages that browsers see after they return from a provider. Their address no longer contains the code. */
export function createOutcomePages(): (path: string) => Promise<PublicFile | undefined> {
  const pages = new Map(
    Object.entries(OUTCOMES).map(([outcome, [title, text]]) => [
      // `as`: a key of the table.
      pageOfOutcome(outcome as ConsentOutcome),
      publicFile(htmlOf(title, text), 'text/html; charset=utf-8', HEADERS),
    ]),
  );
  return async (path) => pages.get(path);
}

const htmlOf = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
</body>
</html>
`;
