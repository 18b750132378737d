// Generated from the route table and its schemas by `npm run generate:client`: not edited by hand.

export type AcceptInvitation = {
  /** Code of the link (the part after `#code=`). */
  readonly code: string;
  /** Display name. */
  readonly name?: string | undefined;
  /** Password for a new account (at least 12 characters), or the password of the existing account. */
  readonly password?: string | undefined;
};

export type AcceptedRequest = {
  /** `repeated`: it was accepted before, or another request had the same id of the event. */
  readonly outcome: 'received' | 'repeated';
  /** Message that it became, or that its event had become before. */
  readonly messageId: string;
};

export type AddPasskey = {
  /** Display name. */
  readonly name: string;
  /** Credential from the browser, as its `toJSON()` returns it. */
  readonly passkey: {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** Same as `id`. */
    readonly rawId: string;
    /** Credential type. */
    readonly type: 'public-key';
    /** Response of the authenticator. */
    readonly response: {
      /** Client data that the authenticator signed, in base64url. */
      readonly clientDataJSON: string;
      /** Attestation object with the new public key, in base64url. */
      readonly attestationObject: string;
      /** How to reach the authenticator. */
      readonly transports?: readonly string[] | null | undefined;
    };
  };
};

export type ApiKey = {
  /** Prefix `key_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** App it belongs to. */
  readonly appId: string;
  /** Environment it belongs to; it cannot access any other. */
  readonly environment: 'live' | 'test';
  /** Tier. Its limits apply where the key has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Effective limits: the credential's own or those of its tier. */
  readonly limits: Limits;
  /** Scopes. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** First 12 characters of the key, to recognise it by. */
  readonly prefix: string;
  /** Last 4 characters of the key. */
  readonly last4: string;
  /** Only an active key is accepted. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. Absent if never. */
  readonly expiresAt?: string;
  /** When it was last used, to the minute. Absent if never. */
  readonly lastUsedAt?: string;
  /** IP address of the first request in that minute. Behind proxies, TRUSTED_PROXY_HOPS decides which address of `X-Forwarded-For` this is. */
  readonly lastUsedAddress?: string;
  /** Until when the key from before the last rotation is accepted too. Absent if only the current key is accepted. */
  readonly previousKeyExpiresAt?: string;
};

export type App = {
  /** Prefix `app_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Organisation it belongs to. */
  readonly organisationId: string;
  /** Display name. Several apps can have the same name. */
  readonly name: string;
  /** Name in URLs and command lines, unique in the organisation. */
  readonly slug: string;
  /** Free-text description. */
  readonly description?: string;
  /** While an app is suspended, its credentials are refused within 5 seconds, deliveries (`app_suspended`) and scheduled messages wait, and schedules start no runs. Runs in progress continue. Users can change things, but requests that send something are FORBIDDEN. */
  readonly status: 'active' | 'suspended';
  /** Effective defaults for resources created from now on: the app's own, or else those of the service. */
  readonly settings: {
    /** Default `retentionDays` of new channels, and the days for which finished runs are kept. */
    readonly retentionDays: number;
    /** Default `retryPolicy` of new subscriptions. It also fills in the missing fields of a partial policy. */
    readonly retryPolicy: {
      /** Retries after the first attempt. */
      readonly maxRetries: number;
      /** Milliseconds before the first retry. */
      readonly initialDelay: number;
      /** Maximum delay between two attempts, in milliseconds. */
      readonly maxDelay: number;
      /** Factor by which each delay is longer than the previous one. */
      readonly backoffMultiplier: number;
    };
    /** Default `timeoutMs` of new subscriptions. */
    readonly timeoutMs: number;
    /** Default `circuitBreaker` of new subscriptions. */
    readonly circuitBreaker: boolean;
  };
  /** When the app was created. */
  readonly createdAt: string;
  /** When the app was last changed. */
  readonly updatedAt: string;
};

export type Approval = {
  /** Prefix `apv_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Workflow of the run. */
  readonly workflowId: string;
  /** Run that waits. */
  readonly runId: string;
  /** Step that asks. */
  readonly stepId: string;
  /** Places of its items in the loops around it, from 0, joined by dots. */
  readonly iteration: string;
  /** Decision, or that there is none. */
  readonly status: 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  /** Question, in a few words. */
  readonly title: string;
  /** The same at length. */
  readonly message?: string;
  /** Ids of principals and addresses of people who may decide. Empty: anybody who may write workflows. */
  readonly approvers: readonly string[];
  /** JSON Schema that `data` of an approval must fit. */
  readonly form?: unknown;
  /** When the step asked. */
  readonly createdAt: string;
  /** When the step goes on by itself. */
  readonly expiresAt: string;
  /** Id of the principal who decided. */
  readonly decidedBy?: string;
  /** When that was. */
  readonly decidedAt?: string;
  /** Text that was given with it. */
  readonly comment?: string;
  /** Values that were given with it. */
  readonly data?: unknown;
};

export type Attempt = {
  /** Prefix `att_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Delivery it belongs to. */
  readonly deliveryId: string;
  /** Number of the attempt within the delivery, from 1. */
  readonly number: number;
  /** When it started. */
  readonly startedAt: string;
  /** Duration in milliseconds. */
  readonly durationMs: number;
  /** Whether the message was delivered. */
  readonly outcome: 'delivered' | 'failed' | 'held';
  /** Error class. Absent on success. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
  /** Error message, with what to fix. */
  readonly errorMessage?: string;
  /** Request as sent. Absent if it was not stored: after a crash of the worker, or if the subscription has changed more than a hundred times since. */
  readonly request?: {
    /** Version of the URL and headers used for the subscription, counted from 1; changing either starts the next one. */
    readonly version: number;
    /** Always POST. */
    readonly method: 'POST';
    /** URL, with the values of its query replaced by `***`. */
    readonly url: string;
    /** Headers by name, as sent. The signature, the parent-id of a trace and values that look like credentials are replaced by `***`; headers of the connection are omitted. */
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Response of the receiver. Absent if there was none. */
  readonly response?: {
    /** HTTP status. */
    readonly status: number;
    /** First 16 KiB of the body, as text. Empty in a list with `responseBodies=false`. */
    readonly body: string;
    /** Milliseconds from sending the request to the end of the response. */
    readonly latencyMs: number;
    /** Headers of the response, by lower-case name. */
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Id of the Temporal workflow that ran the attempt. */
  readonly temporalWorkflowId: string;
};

export type AuditEntry = {
  /** Prefix `aud_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** When the change was made. */
  readonly at: string;
  /** Organisation whose log this is. */
  readonly organisationId: string;
  /** App of the changed resource. Absent if the resource does not belong to an app. */
  readonly appId?: string;
  /** Environment of the changed resource. Absent if it does not belong to an environment. */
  readonly environmentId?: string;
  /** Who made the change. */
  readonly actor: {
    /** A principal of the API, the command line, or the Temporal UI. */
    readonly kind: 'apiKey' | 'machineCredential' | 'person' | 'commandLine' | 'temporal';
    /** Id of the principal. Absent for the command line and the Temporal UI. */
    readonly id?: string;
  };
  /** Resource and verb, such as `channel.updated`. */
  readonly action: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked';
  /** The changed resource. */
  readonly target: {
    /** Id of the resource. */
    readonly id: string;
  };
  /** Where the request came from. Absent if there was no request. */
  readonly from?: {
    /** IP address of the caller. */
    readonly address: string;
    /** First 300 characters of its `User-Agent`. */
    readonly userAgent?: string;
  };
  /** Changed fields before the change, without secrets. Absent in a list with `changes=false`. */
  readonly before?: Readonly<Record<string, unknown>>;
  /** Changed fields after the change, without secrets. Absent in a list with `changes=false`. */
  readonly after?: Readonly<Record<string, unknown>>;
  /** Position in the hash chain of the organisation. */
  readonly position: number;
  /** SHA-256, in hexadecimal, of the previous hash and this entry (docs/operate/keys-and-secrets.md, Verify the audit log). */
  readonly hash: string;
};

export type AuditFilter = {
  /** Only entries with this action. */
  readonly action?: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked' | undefined;
  /** Only entries by this principal. */
  readonly actorId?: string | undefined;
  /** Only entries about this resource. */
  readonly targetId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type AuditLine = {
  /** Position in the hash chain of the organisation. */
  readonly position: number;
  /** SHA-256, in hexadecimal, of the previous hash and this entry (docs/operate/keys-and-secrets.md, Verify the audit log). */
  readonly hash: string;
  /** The entry, byte for byte as it was hashed. */
  readonly entry: {
    /** Prefix `aud_` and 26 characters that sort by the time of making. */
    readonly id: string;
    /** When the change was made. */
    readonly at: string;
    /** Organisation whose log this is. */
    readonly organisationId: string;
    /** App of the changed resource. Absent if the resource does not belong to an app. */
    readonly appId?: string;
    /** Environment of the changed resource. Absent if it does not belong to an environment. */
    readonly environmentId?: string;
    /** Who made the change. */
    readonly actor: {
      /** A principal of the API, the command line, or the Temporal UI. */
      readonly kind: 'apiKey' | 'machineCredential' | 'person' | 'commandLine' | 'temporal';
      /** Id of the principal. Absent for the command line and the Temporal UI. */
      readonly id?: string;
    };
    /** Resource and verb, such as `channel.updated`. */
    readonly action: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked';
    /** The changed resource. */
    readonly target: {
      /** Id of the resource. */
      readonly id: string;
    };
    /** Where the request came from. Absent if there was no request. */
    readonly from?: {
      /** IP address of the caller. */
      readonly address: string;
      /** First 300 characters of its `User-Agent`. */
      readonly userAgent?: string;
    };
    /** Changed fields before the change, without secrets. Absent in a list with `changes=false`. */
    readonly before?: Readonly<Record<string, unknown>>;
    /** Changed fields after the change, without secrets. Absent in a list with `changes=false`. */
    readonly after?: Readonly<Record<string, unknown>>;
  };
};

export type Authenticate = {
  /** Password of the account. */
  readonly password?: string | undefined;
  /** Credential from the browser, as its `toJSON()` returns it. */
  readonly passkey?: {
    /** Credential id, in base64url. */
    readonly id: string;
    /** The same id. */
    readonly rawId: string;
    /** Always `public-key`. */
    readonly type: 'public-key';
    /** Response of the authenticator. */
    readonly response: {
      /** Client data that the authenticator signed, in base64url. */
      readonly clientDataJSON: string;
      /** Authenticator data, in base64url. */
      readonly authenticatorData: string;
      /** Signature over both, in base64url. */
      readonly signature: string;
      /** User id, in base64url. */
      readonly userHandle?: string | null | undefined;
    };
  } | undefined;
};

export type Authorization = {
  /** Address at the provider. The browser of one who may consent is sent there. */
  readonly authorizationUrl: string;
  /** When the address is good no more, used or not. */
  readonly expiresAt: string;
};

export type AuthorizationServer = {
  /** PUBLIC_BASE_URL, which is also `iss` and `aud` of tokens. */
  readonly issuer: string;
  /** URL of the token endpoint. */
  readonly token_endpoint: string;
  /** URL of the public keys for access tokens. */
  readonly jwks_uri: string;
  /** All scopes. */
  readonly scopes_supported: readonly string[];
  /** Empty: there is no authorization endpoint. */
  readonly response_types_supported: readonly never[];
  /** The only supported grant. */
  readonly grant_types_supported: readonly 'client_credentials'[];
  /** HMAC of the DPoP proof, keyed with the client secret. This is not a registered method, because none of those binds the client to the proof. */
  readonly token_endpoint_auth_methods_supported: readonly 'client_secret_dpop_hmac'[];
  /** Signature algorithms of proofs (RFC 9449 §5.1). */
  readonly dpop_signing_alg_values_supported: readonly ('ES256' | 'EdDSA' | 'Ed25519' | 'PS256')[];
};

export type Backlog = {
  /** Deliveries before their first attempt. */
  readonly pending: {
    /** How many there are, 1,000 at most. */
    readonly count: number;
    /** Whether there are more than that. */
    readonly isMore: boolean;
    /** When the oldest one was made. Absent where there is none. */
    readonly oldestAt?: string;
  };
  /** Deliveries whose attempts have failed so far. */
  readonly retrying: {
    /** How many there are, 1,000 at most. */
    readonly count: number;
    /** Whether there are more than that. */
    readonly isMore: boolean;
    /** When the oldest one was made. Absent where there is none. */
    readonly oldestAt?: string;
  };
  /** Dead letters that were neither replayed nor discarded. */
  readonly openDeadLetters: {
    /** How many there are, 1,000 at most. */
    readonly count: number;
    /** Whether there are more than that. */
    readonly isMore: boolean;
  };
  /** Servers that deliver for all environments, as of the last seconds. */
  readonly service: {
    /** Down where no worker is alive: nothing is delivered then. */
    readonly worker: 'up' | 'down';
    /** Down where Temporal answers no worker that is alive: deliveries wait for it. Unknown where none is. */
    readonly temporal: 'up' | 'down' | 'unknown';
  };
};

export type BacklogQuery = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
};

export type BatchAccepted = {
  /** Number of accepted messages: all of the request. */
  readonly count: number;
  /** Ids of the messages, in the order of the request. */
  readonly ids: readonly string[];
  /** Always `accepted`: the messages are stored. */
  readonly status: 'accepted';
  /** Schema violations of payloads that were published nevertheless, because the channel only warns. Only in responses to publishes. */
  readonly warnings?: readonly FieldProblem[];
};

export type BulkDiscard = {
  /** `preview`: nothing was changed. */
  readonly status: 'preview' | 'discarded';
  /** Open dead letters that match the filter. */
  readonly matched: number;
  /** Dead letters that this request discarded, oldest first. */
  readonly discarded: number;
  /** Matching dead letters that are still open. Repeat the request to discard them. */
  readonly left: number;
};

export type BulkReplay = {
  /** Prefix `rpl_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Status of the replay. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** Open dead letters that match the filter. */
  readonly matched: number;
  /** Dead letters replayed so far. */
  readonly replayed: number;
  /** Dead letters that could not be replayed and are still open, because their subscription or workflow is deleted. */
  readonly failed: number;
  /** Current status of what was replayed. A delivery or run that a later replay has made due counts there instead. */
  readonly outcome: {
    /** Delivered deliveries and completed runs. */
    readonly succeeded: number;
    /** Deliveries and runs that are not finished. */
    readonly underWay: number;
    /** Deliveries and runs that failed again, and cancelled runs. */
    readonly failed: number;
    /** Whether the numbers are exact. Each counts up to 10,000, or 1,000 in a list. */
    readonly isExact: boolean;
  };
  /** Filter of the request. */
  readonly filter: {
    /** Only those of this channel. */
    readonly channelId?: string;
    /** Only those of this subscription. */
    readonly subscriptionId?: string;
    /** Only those of this message. */
    readonly messageId?: string;
    /** Only those of this workflow. */
    readonly workflowId?: string;
    /** Only those of this event type or pattern. */
    readonly eventType?: string;
    /** Only those of this kind. */
    readonly kind?: 'delivery' | 'run';
    /** Only those with this reason. */
    readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
    /** Only those whose last failure has this class. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
    readonly errorStatus?: number | string;
    /** Only those that failed after this time. */
    readonly since?: string;
    /** Only those that failed before this time. */
    readonly until: string;
    /** Only deliveries created after this time. */
    readonly createdSince?: string;
    /** Only deliveries created before this time. */
    readonly createdUntil?: string;
  };
  /** Maximum dead letters replayed per second. Absent if they are replayed as fast as they are found. */
  readonly ratePerSecond?: number;
  /** Who requested it: an API key, a machine credential or a user. */
  readonly requestedBy: string;
  /** When it was requested. */
  readonly createdAt: string;
  /** When it finished. Absent until then. */
  readonly finishedAt?: string;
};

export type BulkReplayOrPreview = BulkReplay | {
  /** Always `preview`: nothing was changed. */
  readonly status: 'preview';
  /** Open dead letters that match the filter. */
  readonly matched: number;
  /** Always 0. */
  readonly replayed: 0;
  /** Always 0. */
  readonly failed: 0;
  /** Up to five of the oldest. */
  readonly oldest: readonly {
    /** Prefix `dlq_` and 26 characters that sort by the time of making. */
    readonly id: string;
    /** When it failed permanently. */
    readonly failedAt: string;
    /** Event type of the message. */
    readonly eventType?: string;
  }[];
};

export type BulkRetry = {
  /** Prefix `rty_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Status of the retry. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** Deliveries that match the filter and can be retried. */
  readonly matched: number;
  /** Whether `matched` was the exact count at the time of the request. Counting stops after 100,000 rows; the retry continues beyond them. */
  readonly isExact: boolean;
  /** Deliveries retried so far. */
  readonly retried: number;
  /** Deliveries that could not be retried, because their message is erased or their subscription deleted. */
  readonly failed: number;
  /** Current status of what was replayed. A delivery or run that a later replay has made due counts there instead. */
  readonly outcome: {
    /** Delivered deliveries and completed runs. */
    readonly succeeded: number;
    /** Deliveries and runs that are not finished. */
    readonly underWay: number;
    /** Deliveries and runs that failed again, and cancelled runs. */
    readonly failed: number;
    /** Whether the numbers are exact. Each counts up to 10,000, or 1,000 in a list. */
    readonly isExact: boolean;
  };
  /** Filter of the request. */
  readonly filter: {
    /** Only those of this channel. */
    readonly channelId?: string;
    /** Only those of this subscription. */
    readonly subscriptionId?: string;
    /** Only those of this message. */
    readonly messageId?: string;
    /** Only those of this event type or pattern. */
    readonly eventType?: string;
    /** Only those with this status, or one of these. Absent: all except `delivered`. */
    readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[];
    /** Only those whose last failure has this class. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
    readonly errorStatus?: number | string;
    /** Only those whose last response took at least this many milliseconds. */
    readonly minLatencyMs?: number;
    /** Only those that are on hold, or only the others. */
    readonly held?: boolean;
    /** Only those that this replay or bulk retry was the last to make due. */
    readonly replayId?: string;
    /** Only those created after this time. */
    readonly since?: string;
    /** Only those created before this time. */
    readonly until: string;
  };
  /** Maximum deliveries per second that become due. Absent if they are retried as fast as they are found. */
  readonly ratePerSecond?: number;
  /** Who requested it: an API key, a machine credential or a user. */
  readonly requestedBy: string;
  /** When it was requested. */
  readonly createdAt: string;
  /** When it finished. Absent until then. */
  readonly finishedAt?: string;
};

export type BulkRetryOrPreview = BulkRetry | {
  /** Always `preview`: nothing was changed. */
  readonly status: 'preview';
  /** Deliveries that match the filter and can be retried. */
  readonly matched: number;
  /** Whether `matched` was the exact count at the time of the request. Counting stops after 100,000 rows; the retry continues beyond them. */
  readonly isExact: boolean;
  /** Always 0. */
  readonly retried: 0;
  /** Always 0. */
  readonly failed: 0;
  /** Up to five of the oldest. */
  readonly oldest: readonly {
    /** Prefix `dlv_` and 26 characters that sort by the time of making. */
    readonly id: string;
    /** Status of the delivery. */
    readonly status: 'pending' | 'delivered' | 'failed' | 'retrying';
    /** Event type of the message. */
    readonly eventType?: string;
    /** When the delivery was created. */
    readonly createdAt: string;
  }[];
};

export type CancelRuns = {
  /** Only runs with this status, or one of these. Default: all that have not ended. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | readonly ('pending' | 'running' | 'waiting' | 'paused')[] | undefined;
  /** Only these runs. An id that names none of them is left out. */
  readonly ids?: readonly string[] | undefined;
  /** Only runs made after this. */
  readonly since?: string | Date | undefined;
  /** Only runs made before this. */
  readonly until?: string | Date | undefined;
  /** Counts, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CancelledMessage = {
  /** Prefix `msg_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** When it was or will be published. */
  readonly publishedAt: string;
  /** Same as publishedAt, for a message that is scheduled or was cancelled. */
  readonly deliverAt?: string;
  /** When it was cancelled. Absent if it was not. */
  readonly cancelledAt?: string;
  /** Why it was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Always `cancelled`: the message will not be published. */
  readonly deliveryStatus: 'cancelled';
};

export type CancelledRuns = {
  /** `preview`: nothing was changed. */
  readonly status: 'preview' | 'cancelled';
  /** Runs that match and had not ended. */
  readonly matched: number;
  /** Runs that this request has ended, the oldest first. */
  readonly cancelled: number;
  /** Runs that match and have not ended yet. The same request goes on with them. */
  readonly left: number;
};

export type Change = {
  /** Kind of the resources. `everything`: changes may have been missed, so look at all that you show. */
  readonly kind: 'message' | 'delivery' | 'deadLetter' | 'replay' | 'channel' | 'subscription' | 'workflow' | 'run' | 'approval' | 'webhook' | 'connection' | 'secret' | 'apiKey' | 'machineCredential' | 'everything';
  /** Resources that are new or have changed: 100 at most. */
  readonly changed: readonly {
    /** Id of the resource. */
    readonly id: string;
    /** Its status when it was looked at. Absent where its kind has none here. */
    readonly status?: string;
  }[];
  /** Whether these are all that the service has noticed. */
  readonly isComplete: boolean;
};

export type ChangePassword = {
  /** Password of the account. */
  readonly password: string;
  /** New password, at least 12 characters. */
  readonly newPassword: string;
};

export type Channel = {
  /** Prefix `chn_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Display name. Several channels can have the same name. */
  readonly name: string;
  /** Free-text description. */
  readonly description?: string;
  /** Only an active channel accepts messages. */
  readonly status: 'active' | 'paused' | 'archived';
  /** JSON Schema for every payload. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** JSON Schemas by event type. Each applies in addition to `schema`. */
  readonly schemas?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether a payload that violates a schema is rejected, or published with a warning. Absent if the channel has no schema. */
  readonly schemaMode?: 'enforce' | 'warn';
  /** Days after which a message is removed with its deliveries, attempts and dead letters (up to half an hour later). A message stays longer while one of its deliveries or runs is unfinished or an open dead letter can be replayed. */
  readonly retentionDays: number;
  /** When the channel was created. */
  readonly createdAt: string;
  /** When the channel was last changed. */
  readonly updatedAt: string;
};

export type ChannelStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** One entry for each channel that was asked for, in that order. One that is not here has none. */
  readonly channels: readonly {
    /** Channel of these figures. */
    readonly channelId: string;
    /** Messages that were published to it in the whole span. */
    readonly accepted: number;
    /** The same in each step, oldest first, those without a message too. */
    readonly counts: readonly number[];
    /** Subscriptions that it has now. */
    readonly subscriptions: {
      /** How many there are, 1,000 at most. */
      readonly count: number;
      /** Whether there are more than that. */
      readonly isMore: boolean;
    };
  }[];
};

export type ChannelStatsQuery = {
  /** Up to 100 ids of channels, separated by commas. By default the newest 100. */
  readonly channelIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ConfirmTotp = {
  /** Six-digit code of the authenticator app. */
  readonly code: string;
};

export type Connection = {
  /** Prefix `cxn_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Connector that it is for. */
  readonly connectorId: string;
  /** Name for people. */
  readonly name: string;
  /** Environment that it belongs to, which alone changes it. */
  readonly environment: 'live' | 'test';
  /** Whether the other environment of its app may see it and use it. */
  readonly shared: boolean;
  /** Whether steps can use it. `unauthorized`: somebody must consent at its provider first. */
  readonly status: 'ready' | 'unauthorized';
  /** When it was made. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** When a step last used it, to the minute. Absent before. */
  readonly lastUsedAt?: string;
  /** Last test of the present credentials, by the environment that it belongs to. Absent before. */
  readonly lastTest?: {
    /** When it was made. */
    readonly at: string;
    /** Whether the service took the credentials. */
    readonly ok: boolean;
    /** The same for people. */
    readonly message: string;
  };
};

export type ConnectionTest = {
  /** Whether the service takes the credentials. */
  readonly ok: boolean;
  /** Status of its answer. Absent where none came. */
  readonly status?: number;
  /** The same for people. */
  readonly message: string;
};

export type Connector = {
  /** Name by which steps and connections mean it. */
  readonly id: string;
  /** Name of the service. */
  readonly name: string;
  /** Purpose, for people. */
  readonly description: string;
  /** Kind of the service. */
  readonly category: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general';
  /** Path of its icon on this server, an SVG. */
  readonly icon: string;
  /** Way of the service to know who asks. Steps need a connection unless it is `none`. */
  readonly authType: 'none' | 'api_key' | 'basic' | 'oauth2';
  /** Whether steps may use it. */
  readonly status: 'available';
};

export type ConnectorDetail = {
  /** Name by which steps and connections mean it. */
  readonly id: string;
  /** Name of the service. */
  readonly name: string;
  /** Purpose, for people. */
  readonly description: string;
  /** Kind of the service. */
  readonly category: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general';
  /** Path of its icon on this server, an SVG. */
  readonly icon: string;
  /** Way of the service to know who asks. Steps need a connection unless it is `none`. */
  readonly authType: 'none' | 'api_key' | 'basic' | 'oauth2';
  /** Whether steps may use it. */
  readonly status: 'available';
  /** Things that it can be asked to do. */
  readonly operations: readonly {
    /** Name by which steps mean it. */
    readonly id: string;
    /** Name for people. */
    readonly name: string;
    /** Effect, for people. */
    readonly description: string;
    /** JSON Schema of the parameters of a step. A parameter with `writeOnly` takes a secret as `{{ secrets.NAME }}`. */
    readonly input: Readonly<Record<string, unknown>>;
  }[];
  /** JSON Schema of the credentials of a connection. Absent where it needs none. */
  readonly credentials?: Readonly<Record<string, unknown>>;
};

export type CreateApiKey = {
  /** Display name. */
  readonly name: string;
  /** Environment of the caller; no other is allowed. */
  readonly environment?: 'live' | 'test' | undefined;
  /** Tier. Its limits apply where `limits` sets none. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Scopes. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits that replace those of the tier. */
  readonly limits?: {
    /** Requests per 60 seconds. */
    readonly requestsPerMinute?: number | undefined;
    /** Requests per second. */
    readonly burst?: number | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | undefined;
    /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
    readonly batchPerMinute?: number | undefined;
  } | undefined;
  /** When it expires. */
  readonly expiresAt?: string | Date | undefined;
};

export type CreateApp = {
  /** Display name. */
  readonly name: string;
  /** Name in URLs and command lines: up to 63 of a-z, 0-9 and single hyphens, unique in the organisation. Default: derived from the name. */
  readonly slug?: string | undefined;
  /** Free-text description. */
  readonly description?: string | undefined;
  /** Status. Default: "active". */
  readonly status?: 'active' | 'suspended' | undefined;
  /** Defaults for resources created from now on. */
  readonly settings?: {
    /** Days after which a message is removed. */
    readonly retentionDays?: number | undefined;
    /** When a failed delivery is retried. Omitted fields keep their defaults. */
    readonly retryPolicy?: {
      /** Retries after the first attempt. */
      readonly maxRetries?: number | undefined;
      /** Milliseconds before the first retry. */
      readonly initialDelay?: number | undefined;
      /** Maximum delay between two attempts, in milliseconds. */
      readonly maxDelay?: number | undefined;
      /** Factor by which each delay is longer than the previous one. */
      readonly backoffMultiplier?: number | undefined;
    } | undefined;
    /** Maximum duration of an attempt, in milliseconds. */
    readonly timeoutMs?: number | undefined;
    /** Whether the circuit breaker is on. */
    readonly circuitBreaker?: boolean | undefined;
  } | undefined;
};

export type CreateBulkDiscard = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only those that failed after this time. */
  readonly since?: string | Date | undefined;
  /** Only those that failed before this time. */
  readonly until?: string | Date | undefined;
  /** Only deliveries created after this time. */
  readonly createdSince?: string | Date | undefined;
  /** Only deliveries created before this time. */
  readonly createdUntil?: string | Date | undefined;
  /** Whether to only count. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateBulkReplay = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only those that failed after this time. */
  readonly since?: string | Date | undefined;
  /** Only those that failed before this time. */
  readonly until?: string | Date | undefined;
  /** Only deliveries created after this time. */
  readonly createdSince?: string | Date | undefined;
  /** Only deliveries created before this time. */
  readonly createdUntil?: string | Date | undefined;
  /** Whether to only count. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Maximum dead letters replayed per second. Default: as fast as they are found. */
  readonly ratePerSecond?: number | undefined;
};

export type CreateBulkRetry = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those with this status, or one of these. Default: all except `delivered`. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only those whose last response took at least this many milliseconds. */
  readonly minLatencyMs?: number | undefined;
  /** `true`: only those that are on hold. `false`: only the others. */
  readonly held?: boolean | undefined;
  /** Only those that this replay or bulk retry was the last to make due. */
  readonly replayId?: string | undefined;
  /** Only those created after this time. */
  readonly since?: string | Date | undefined;
  /** Only those created before this time. Default: now. */
  readonly until?: string | Date | undefined;
  /** Maximum deliveries per second that become due. Default: as fast as they are found. */
  readonly ratePerSecond?: number | undefined;
  /** Whether to only count. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateChannel = {
  /** Display name. */
  readonly name: string;
  /** Free-text description. */
  readonly description?: string | undefined;
  /** Status. Default: "active". */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** JSON Schema for every payload (draft 07, 2019-09 or 2020-12). Limits: 32 KiB, 16 levels, 1,000 objects and arrays, `enum` with 500 values, 300 properties per object, 20 of `allOf`, `anyOf`, `oneOf`, `not` and `if`, RE2 patterns of 200 characters. `$ref` works within the document only, without cycles; `$anchor`, `$dynamicRef`, `$async` and `$data` are rejected. Unknown keywords and formats are ignored. */
  readonly schema?: object | undefined;
  /** JSON Schemas by event type. Each applies in addition to `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | undefined;
  /** Whether a payload that violates a schema is rejected, or published with a warning. */
  readonly schemaMode?: 'enforce' | 'warn' | undefined;
  /** Days after which a message is removed. */
  readonly retentionDays?: number | undefined;
};

export type CreateConnection = {
  /** Connector that it is for, such as `slack`. */
  readonly connectorId: string;
  /** Name for people. */
  readonly name: string;
  /** Credentials, as `credentials` of the connector describes them. No answer shows them again. */
  readonly credentials: object;
  /** Whether the other environment of its app may see it and use it. Default false. Default: false. */
  readonly shared?: boolean | undefined;
};

export type CreateInspector = {
  /** Name for people. */
  readonly name: string;
  /** Answer that senders get. */
  readonly answer?: {
    /** Status of each answer. Default 200. */
    readonly status?: number | undefined;
    /** Milliseconds before the answer. Default 0. */
    readonly delayMs?: number | undefined;
    /** So many of a hundred answers are 500 instead. Default 0. */
    readonly failurePercent?: number | undefined;
  } | undefined;
};

export type CreateInvitation = {
  /** Email address. */
  readonly email: string;
  /** Determines what the member may do. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
};

export type CreateMachineCredential = {
  /** Display name. */
  readonly name: string;
  /** Environment of the caller; no other is allowed. */
  readonly environment?: 'live' | 'test' | undefined;
  /** Tier. Its limits apply where `limits` sets none. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Scopes. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits that replace those of the tier. */
  readonly limits?: {
    /** Requests per 60 seconds. */
    readonly requestsPerMinute?: number | undefined;
    /** Requests per second. */
    readonly burst?: number | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | undefined;
    /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
    readonly batchPerMinute?: number | undefined;
  } | undefined;
  /** When it expires. */
  readonly expiresAt?: string | Date | undefined;
};

export type CreateMarker = {
  /** The event, such as `Deploy 4.2`. */
  readonly name: string;
  /** When it was, at most 366 days ago. Default now. */
  readonly at?: string | Date | undefined;
};

export type CreateMessageReplay = {
  /** Start of the time range (publication time, inclusive). */
  readonly since: string | Date;
  /** End of the time range (publication time, exclusive). Default: now. */
  readonly until?: string | Date | undefined;
  /** Event types or patterns such as `order.*`. An empty list means all. Default: []. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Whether to skip messages that already have a delivery, even a failed one. Default: false. */
  readonly onlyMissing?: boolean | undefined;
  /** Maximum deliveries per second that become due. Default: 100. */
  readonly ratePerSecond?: number | undefined;
  /** Whether to only count. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateOrganisation = {
  /** Display name. */
  readonly name: string;
};

export type CreateSecret = {
  /** Name by which definitions of workflows mean it. Unique in the environment. */
  readonly name: string;
  /** The secret itself. No answer shows it again. */
  readonly value: string;
};

export type CreateSubscription = {
  /** Channel whose messages it receives. */
  readonly channelId: string;
  /** Display name. */
  readonly name?: string | undefined;
  /** Your own id for the customer it belongs to, to filter lists by. It does not affect routing. */
  readonly owner?: string | undefined;
  /** URL that messages are sent to: https, or http if the operator allows it. */
  readonly webhookUrl: string;
  /** Status. Default: "active". */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** Event types or patterns such as `order.*`. An empty list means all. Default: []. */
  readonly eventTypes?: readonly string[] | undefined;
  /** CEL expression over `payload`, `metadata` and `eventType` that selects messages. */
  readonly filter?: string | undefined;
  /** When a failed delivery is retried. Omitted fields keep their defaults. */
  readonly retryPolicy?: {
    /** Retries after the first attempt. */
    readonly maxRetries?: number | undefined;
    /** Milliseconds before the first retry. */
    readonly initialDelay?: number | undefined;
    /** Maximum delay between two attempts, in milliseconds. */
    readonly maxDelay?: number | undefined;
    /** Factor by which each delay is longer than the previous one. */
    readonly backoffMultiplier?: number | undefined;
  } | undefined;
  /** Headers sent with every request, up to 20. Names that the service, the protocol or a proxy sets are rejected. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. Default: a day. */
  readonly maxRetryAfter?: number | undefined;
  /** Maximum requests in flight, 1 to 1,000. If not set, the limit starts at 20 and adapts to the receiver. */
  readonly maxConcurrency?: number | undefined;
  /** Maximum attempts per second. If not set, there is no limit. */
  readonly rateLimit?: number | undefined;
  /** Whether the circuit breaker is on. */
  readonly circuitBreaker?: boolean | undefined;
  /** Also delivers stored messages published at or after this time. */
  readonly startFrom?: string | Date | undefined;
  /** Signing secret that the receiver already has: `whsec_` and the base64 of 24 to 64 bytes. If omitted, a new one is created. */
  readonly secret?: string | undefined;
};

export type CreateView = {
  /** List of the dashboard that it is of. */
  readonly page: 'messages' | 'deliveries' | 'dead-letters' | 'runs' | 'subscriptions' | 'channels' | 'workflows' | 'approvals' | 'replays' | 'delivery-retries' | 'message-replays' | 'inbound-webhooks' | 'inbound-requests' | 'connections' | 'secrets' | 'inspectors' | 'inspected-requests' | 'api-keys' | 'machine-credentials' | 'audit';
  /** Name for people. */
  readonly name: string;
  /** Filters by name, as the address of the page has them. */
  readonly search: Readonly<Record<string, string>>;
};

export type CreateWebhook = {
  /** Name for people. */
  readonly name: string;
  /** Channel that its messages are published to. */
  readonly channelId: string;
  /** Way in which requests prove who sent them. Default: that of the provider, else `body`. */
  readonly scheme?: 'body' | 'standard' | 'svix' | 'github' | 'stripe' | 'slack' | 'shopify' | 'gitlab' | 'twilio' | 'mailgun' | 'hmac' | 'token' | 'ed25519' | 'ecdsa' | 'sns' | undefined;
  /** Service that sends, where it is a known one. */
  readonly provider?: 'bitbucket' | 'buildkite' | 'calendly' | 'circleci' | 'clerk' | 'coinbase-commerce' | 'discord' | 'github' | 'gitlab-signed' | 'gitlab' | 'hubspot' | 'intercom' | 'jira' | 'launchdarkly' | 'lemon-squeezy' | 'linear' | 'mailgun' | 'openai' | 'paddle' | 'pagerduty' | 'razorpay' | 'resend' | 'sendgrid' | 'sentry' | 'shopify' | 'slack' | 'sns' | 'square' | 'stripe' | 'svix' | 'telegram' | 'twilio' | 'typeform' | 'vercel' | 'webflow' | 'woocommerce' | 'workos' | 'zendesk' | 'zoom' | undefined;
  /** Status to have. Default: "active". */
  readonly status?: 'active' | 'disabled' | undefined;
  /** Secrets that are taken, the newest first. Made where none is given and the service lets you choose. */
  readonly secrets?: readonly string[] | undefined;
  /** Form of the signature, with the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text in front of the signature, such as `sha256=`. */
    readonly prefix?: string | undefined;
    /** Hash of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512' | undefined;
    /** Form of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64' | undefined;
    /** Header with the signed time. */
    readonly timestampHeader?: string | undefined;
    /** Form of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601' | undefined;
    /** Seconds by which the signed time may differ from ours. Default 300. */
    readonly toleranceSeconds?: number | undefined;
    /** Header that stands for `{id}` in the template. */
    readonly idHeader?: string | undefined;
    /** Signed text, of `{timestamp}`, `{id}`, `{url}`, `{body}`. Default `{body}`, with a time `{timestamp}.{body}`. */
    readonly template?: string | undefined;
  } | undefined;
  /** Place of the id of an event. Default: where the provider puts it. */
  readonly eventId?: {
    /** Header with the id. */
    readonly header?: string | undefined;
    /** JSON Pointer to the id in the body. */
    readonly pointer?: string | undefined;
  } | undefined;
  /** Source of the event type. Default: where the provider puts it. */
  readonly eventType?: {
    /** This type for every message. */
    readonly literal?: string | undefined;
    /** JSON Pointer to the type in the body. */
    readonly pointer?: string | undefined;
    /** Header with the type. */
    readonly header?: string | undefined;
    /** CEL expression that gives a text, over `payload`, `metadata`, `eventType`. */
    readonly cel?: string | undefined;
  } | undefined;
  /** Part of the body that becomes the payload. Default: all of it. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string | undefined;
    /** Fields of the payload, each with a JSON Pointer to its value. One that leads nowhere is left out. */
    readonly fields?: Readonly<Record<string, string>> | undefined;
  } | undefined;
};

export type CreateWorkflow = {
  /** Name for people. */
  readonly name: string;
  /** Text for people. */
  readonly description?: string | undefined;
  /** Status to have. Default: "draft". */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Beginning of a run: `type` and `config`. Absent: none yet. */
  readonly trigger?: object | undefined;
  /** Work of a run, each step with `id`, `type`, `config` and `next`. Absent: none yet. */
  readonly steps?: readonly unknown[] | undefined;
};

export type CreatedSubscription = {
  /** Prefix `sub_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Channel whose messages it receives. */
  readonly channelId: string;
  /** Display name. */
  readonly name: string;
  /** Your own id for the customer it belongs to, to filter lists by. It does not affect routing: the subscription receives the messages of its channel whatever their owner. Absent if none was given. */
  readonly owner?: string;
  /** URL that messages are sent to. */
  readonly webhookUrl: string;
  /** Deliveries wait unless it is active. Only the service sets `disabled`. */
  readonly status: 'active' | 'paused' | 'disabled';
  /** Since when it has this status. Absent if the change was not recorded. */
  readonly statusChangedAt?: string;
  /** Why it is disabled: its receiver responded 410, or no delivery has succeeded for five days. Absent if unknown. */
  readonly disabledReason?: 'gone' | 'failing';
  /** Event types that it receives, or patterns such as `order.*`. An empty list means all. */
  readonly eventTypes: readonly string[];
  /** CEL expression that selects messages of these event types. Absent if it receives all of them. */
  readonly filter?: string;
  /** When a failed delivery is retried. */
  readonly retryPolicy: {
    /** Retries after the first attempt. */
    readonly maxRetries: number;
    /** Milliseconds before the first retry. */
    readonly initialDelay: number;
    /** Maximum delay between two attempts, in milliseconds. */
    readonly maxDelay: number;
    /** Factor by which each delay is longer than the previous one. */
    readonly backoffMultiplier: number;
  };
  /** Headers sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. Such a wait may be longer than `maxDelay`. */
  readonly maxRetryAfter: number;
  /** Maximum requests in flight. Absent if not set: the limit adapts to the receiver. */
  readonly maxConcurrency?: number;
  /** Maximum attempts per second. Absent if there is no limit. */
  readonly rateLimit?: number;
  /** Whether the circuit breaker is on. */
  readonly circuitBreaker: boolean;
  /** Circuit breaker of the receiver. */
  readonly circuit: {
    /** `open`, after at least 20 attempts within 5 minutes of which 90 % failed: nothing is sent for 30 s. `half_open`: a probe decides whether it closes. */
    readonly state: 'closed' | 'open' | 'half_open';
    /** When it last opened. Absent while it is closed. */
    readonly openedAt?: string;
    /** When the next probe can be sent. Absent while it is closed. */
    readonly nextProbeAt?: string;
  };
  /** Current requests to its receiver over all workers, at most two seconds old. Absent in lists. */
  readonly concurrency?: {
    /** Maximum requests in flight. */
    readonly limit: number;
    /** Requests in flight. */
    readonly inFlight: number;
    /** Mean latency of recent successful responses, in milliseconds. Absent before the first one. */
    readonly latencyMs?: number;
  };
  /** Since when deliveries are on hold because none of the signing secrets can be decrypted. Rotating the secret ends it. */
  readonly secretUnreadableSince?: string;
  /** Settings that do not work as they may seem to: stored values that stricter rules now reject and that are not used, a host name that cannot exist in the public DNS and does not resolve (not in lists), and an `owner`, because it does not affect routing. */
  readonly warnings?: readonly FieldProblem[];
  /** When the subscription was created. */
  readonly createdAt: string;
  /** When the subscription was last changed. */
  readonly updatedAt: string;
  /** Replay of the stored messages since `startFrom`. Absent without `startFrom`. */
  readonly replayId?: string;
};

export type DeadLetter = {
  /** Prefix `dlq_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Whether a delivery or a workflow run failed. */
  readonly kind: 'delivery' | 'run';
  /** Only an open dead letter can be replayed or discarded. */
  readonly status: 'open' | 'replayed' | 'discarded';
  /** Channel of the message. */
  readonly channelId?: string;
  /** Message that was not delivered, or that started the run. Absent if the run was not started by a message. */
  readonly messageId?: string;
  /** Subscription that did not receive the message. Only for the kind `delivery`. */
  readonly subscriptionId?: string;
  /** Delivery that failed. Only for the kind `delivery`. */
  readonly deliveryId?: string;
  /** Workflow of the run. Only for the kind `run`. */
  readonly workflowId?: string;
  /** Run that failed. Only for the kind `run`. */
  readonly runId?: string;
  /** Step that failed. Only for the kind `run`, and absent if the failure was not in a step. */
  readonly stepId?: string;
  /** Position in the loops around that step, counted from 0 and joined by dots. Absent outside loops. */
  readonly iteration?: string;
  /** Event type of the message. */
  readonly eventType?: string;
  /** Why it failed permanently. */
  readonly reason: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
  /** How the last attempt failed. */
  readonly lastError: {
    /** Error class. */
    readonly class?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Error code of the step, such as `HTTP_404`. Only for the kind `run`. */
    readonly code?: string;
    /** Error message. */
    readonly message?: string;
    /** HTTP status of the last response. Absent if there was none. */
    readonly status?: number;
  };
  /** Attempts of the delivery or the step until then. */
  readonly attempts: number;
  /** When it failed permanently. */
  readonly failedAt: string;
  /** When it was replayed. Absent if it was not. */
  readonly replayedAt?: string;
  /** Who replayed it: an API key, a machine credential or a user. Absent if it was not replayed. */
  readonly replayedBy?: string;
};

export type DeadLetterGroups = {
  /** Up to 100 groups, largest first. */
  readonly groups: readonly {
    /** Whether deliveries or workflow runs failed. */
    readonly kind: 'delivery' | 'run';
    /** Subscription of the deliveries. Only for the kind `delivery`. */
    readonly subscriptionId?: string;
    /** Workflow of the runs. Only for the kind `run`. */
    readonly workflowId?: string;
    /** Why they failed permanently. */
    readonly reason: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
    /** Error class of the last failure of each. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** HTTP status of the last response of each. Absent if there was none. */
    readonly errorStatus?: number;
    /** Number of open dead letters in the group, among those examined. */
    readonly count: number;
    /** When the first of them failed. */
    readonly firstFailedAt: string;
    /** When the last of them failed. */
    readonly lastFailedAt: string;
    /** The most recent of them. */
    readonly lastId: string;
    /** Number of them that failed in each of 24 equal intervals from `from` to `until`, oldest first. */
    readonly counts: readonly number[];
  }[];
  /** When the first of the examined dead letters failed. Absent if there was none. */
  readonly from?: string;
  /** When the last of the examined dead letters failed. Absent if there was none. */
  readonly until?: string;
  /** Number of open dead letters examined: up to the newest 10,000. */
  readonly examined: number;
  /** Whether the groups and counts are complete. */
  readonly isExact: boolean;
};

export type DeadLetterGroupsQuery = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type DecideApproval = {
  /** Step that asks. May be left out where one asks only. */
  readonly stepId?: string | undefined;
  /** Places of its items in the loops around it. */
  readonly iteration?: string | undefined;
  /** Text that the next steps, and people, see. */
  readonly comment?: string | undefined;
  /** Values for the next steps. Must fit the form of the approval, where it has one. */
  readonly data?: object | undefined;
};

export type DefinitionValidation = {
  /** Whether such a workflow could be activated. */
  readonly valid: boolean;
  /** Everything that speaks against it; at most 20. */
  readonly errors: readonly FieldProblem[];
};

export type Delivery = {
  /** Prefix `dlv_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Message to be delivered. */
  readonly messageId: string;
  /** Subscription that receives it. */
  readonly subscriptionId: string;
  /** Event type of the message. Absent on old deliveries that did not store it. */
  readonly eventType?: string;
  /** Whether it was delivered, has failed permanently, or is unfinished. */
  readonly status: 'pending' | 'delivered' | 'failed' | 'retrying';
  /** Attempts so far, over all rounds. */
  readonly attempts: number;
  /** Attempts that the retry policy has counted since the delivery was created or last retried or replayed. A hold starts a new round without resetting this number. */
  readonly policyAttempts: number;
  /** When the last attempt started. Absent before the first one. */
  readonly lastAttemptAt?: string;
  /** When it is retried. Absent if no retry is scheduled. */
  readonly nextRetryAt?: string;
  /** Response of the receiver to the last attempt. Absent if there was none. */
  readonly response?: {
    /** HTTP status. */
    readonly status: number;
    /** First 16 KiB of the body, as text. Empty in a list with `responseBodies=false`. */
    readonly body: string;
    /** Milliseconds from sending the request to the end of the response. */
    readonly latencyMs: number;
  };
  /** Why no attempt is made at present. Only on unfinished deliveries. */
  readonly held?: {
    /** Reason for the hold. `secret_unreadable` and `internal` do not use up the retry policy: the delivery is retried with delays that grow to an hour, and fails after seven days as `internal`. */
    readonly reason: 'app_suspended' | 'paused' | 'disabled' | 'circuit' | 'rate_limit' | 'secret_unreadable' | 'internal';
    /** Start of the hold. */
    readonly since: string;
    /** End of the hold, as nextRetryAt. Absent if only a resume ends it. */
    readonly until?: string;
  };
  /** Why the last attempt failed, or which internal error keeps the delivery on hold. Absent on a delivered one. */
  readonly error?: {
    /** Error class. */
    readonly class: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Error message. */
    readonly message: string;
  };
  /** Why it failed permanently. Only on failed deliveries. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'subscription_deleted' | 'erased';
  /** When the delivery was created. */
  readonly createdAt: string;
};

export type DryRun = {
  /** Items of this page, in the order of the list. */
  readonly data: readonly {
    /** Prefix `sub_` and 26 characters that sort by the time of making. */
    readonly subscriptionId: string;
    /** Name of the subscription. */
    readonly name: string;
    /** Whether a delivery would be created. */
    readonly wouldReceive: boolean;
    /** Why the subscription would or would not receive the message. `no_filter` and `filter_matches`: it would. `event_type`: its event types do not match. `filter_does_not_match`: its filter does not match. `filter_failed`: its filter could not be evaluated. */
    readonly reason: 'no_filter' | 'filter_matches' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** Explanation of the reason. */
    readonly detail?: string;
    /** What the delivery would wait for: `paused` and `disabled` for a resume, `circuit` for the next probe, `app_suspended` for the app. */
    readonly heldBy?: 'app_suspended' | 'paused' | 'disabled' | 'circuit';
  }[];
  /** Where the list goes on. */
  readonly pagination: {
    /** Asks for the next page as the parameter `cursor`. Absent on the last page. */
    readonly cursor?: string;
    /** Whether there is a next page. */
    readonly hasMore: boolean;
  };
  /** The channel. */
  readonly channel: {
    /** Only an active channel accepts messages. */
    readonly status: 'active' | 'paused' | 'archived' | 'system';
    /** Whether the channel would accept the message. */
    readonly accepts: boolean;
    /** Schema violations. With `accepts: true` these are only warnings. */
    readonly errors: readonly FieldProblem[];
  };
  /** Result of the given expression. Absent if none was given. */
  readonly filter?: {
    /** Whether the message matches. */
    readonly matches: boolean;
    /** Why the expression could not be evaluated. */
    readonly error?: string;
  };
};

export type DryRunBody = {
  /** Id of a stored message to use instead of a sample. */
  readonly messageId?: string | undefined;
  /** What happened, such as `order.created`. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. */
  readonly payload?: object | undefined;
  /** Strings that accompany the message: up to 50 entries and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** CEL expression to test on the message. */
  readonly filter?: string | undefined;
  /** Only this subscription. */
  readonly subscriptionId?: string | undefined;
};

export type ExportDeadLetters = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'open' | 'replayed' | 'discarded' | readonly ('open' | 'replayed' | 'discarded')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type ExportDeliveries = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those whose last response took at least this many milliseconds, from 1,000. */
  readonly minLatencyMs?: number | undefined;
  /** `true`: only those that are on hold. `false`: only the others. */
  readonly held?: 'true' | 'false' | undefined;
  /** Only those that this replay or bulk retry was the last to make due. */
  readonly replayId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type ExportMessages = {
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only messages of this channel. */
  readonly channelId?: string | undefined;
  /** `true` includes messages of the channel `posthorn.system`. By default, they are listed only if `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only the message published with this `id` within the last 24 hours. */
  readonly publisherId?: string | undefined;
  /** Only messages whose deliveries have one of these combined statuses. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type ExportRuns = {
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type FactorAdded = {
  /** Ten recovery codes, if this is the first second factor. Shown only once. */
  readonly recoveryCodes?: readonly string[];
};

export type Factors = {
  /** Whether signing in with the password requires a second factor. */
  readonly isAsked: boolean;
  /** The authenticator app. Absent if there is none. */
  readonly totp?: {
    /** When it was confirmed with its first code. */
    readonly createdAt: string;
  };
  /** Number of passkeys (GET /v1/user/passkeys). */
  readonly passkeys: number;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
};

export type FieldProblem = {
  /** Path of the field as its author writes it, such as `messages[3].eventType`. */
  readonly field: string;
  /** Reads behind the field: `is required`. */
  readonly reason: string;
};

export type FilterTest = {
  /** Number of messages that match. */
  readonly matched: number;
  /** Tested messages, newest first. Erased ones are skipped. */
  readonly messages: readonly {
    /** Tested message. */
    readonly messageId: string;
    /** Event type of the message. */
    readonly eventType: string;
    /** When it was published. */
    readonly publishedAt: string;
    /** Whether the filter matches the message. */
    readonly matches: boolean;
    /** Why the filter could not be evaluated for the message. */
    readonly error?: string;
  }[];
};

export type FilterTestBody = {
  /** CEL expression over `payload`, `metadata` and `eventType` that selects messages. */
  readonly filter: string;
  /** Maximum number of messages. Default: 50. */
  readonly limit?: number | undefined;
};

export type InboundReceived = {
  /** Always true. Absent in the answer to some handshakes. */
  readonly received?: boolean;
  /** Message that the event became, now or the first time it came. Absent in the answer to a handshake. */
  readonly messageId?: string;
  /** Text that Slack asks for. */
  readonly challenge?: string;
  /** Text that Zoom asks for. */
  readonly plainToken?: string;
  /** HMAC of it. */
  readonly encryptedToken?: string;
  /** Number that Discord asks for. */
  readonly type?: number;
};

export type InboundRefusal = {
  /** Prefix `irf_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Webhook that refused it. */
  readonly webhookId: string;
  /** Why it became no message. */
  readonly reason: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The same in words, with the field where one is at fault. */
  readonly detail: string;
  /** IP address that it came from. */
  readonly address: string;
  /** Its `User-Agent`, up to 300 characters; `posthorn-sample`: a sample. */
  readonly userAgent?: string;
  /** Id of the event, of a request whose signature was good. */
  readonly eventId?: string;
  /** Length of its body. */
  readonly bytes: number;
  /** Whether its body is kept, and it can be accepted. True only where its signature was good. */
  readonly hasBody: boolean;
  /** Message that it became when it was accepted. */
  readonly messageId?: string;
  /** When it was refused. */
  readonly refusedAt: string;
};

export type InboundRequest = {
  /** Prefix `irc_` or `irf_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Webhook that it came to. */
  readonly webhookId: string;
  /** `received`: it became a message. `repeated`: an earlier request had the same id of the event. */
  readonly outcome: 'received' | 'repeated' | 'refused';
  /** Whether this service has signed and sent it as a sample. */
  readonly isSample: boolean;
  /** Id of the event, where its signature was good and the service has ids. */
  readonly eventId?: string;
  /** Message that its event became, now or the first time; of a refused one, when it was accepted. */
  readonly messageId?: string;
  /** Event type of that message. Absent while it waits for a paused channel, and once it is removed. */
  readonly eventType?: string;
  /** Why it was refused. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The same in words. */
  readonly detail?: string;
  /** IP address that it came from, where it was refused. */
  readonly address?: string;
  /** Length of its body, where it was refused. */
  readonly bytes?: number;
  /** Whether its body is kept, and it can be accepted. True only where its signature was good. */
  readonly hasBody?: boolean;
  /** When it came. */
  readonly receivedAt: string;
};

export type InspectedRequest = {
  /** Prefix `irq_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Inspector that it came to. */
  readonly inspectorId: string;
  /** Method of the request. */
  readonly method: string;
  /** Rest of the path behind the address of the inspector, and query. Empty as a rule. */
  readonly path: string;
  /** Bytes of the body as it came. */
  readonly bytes: number;
  /** Standard Webhooks signature. */
  readonly signature: {
    /** `verified`: a secret of a subscription has signed it. `unsigned`: it has no `webhook-signature`. */
    readonly status: 'verified' | 'failed' | 'unsigned';
    /** Why it failed. */
    readonly reason?: 'header_missing' | 'timestamp_malformed' | 'timestamp_off' | 'message_unknown' | 'secret_unreadable' | 'signature_differs';
    /** Message that `webhook-id` names, where this environment has it. */
    readonly messageId?: string;
    /** Subscription whose secret was asked. */
    readonly subscriptionId?: string;
  };
  /** Answer that the sender got. */
  readonly answer: {
    /** Status that the sender got. */
    readonly status: number;
    /** Milliseconds that the answer was held back. */
    readonly delayMs: number;
  };
  /** When it arrived. */
  readonly arrivedAt: string;
  /** Headers, in the order in which they came. */
  readonly headers: readonly {
    /** Name as it was sent. */
    readonly name: string;
    /** Value. The one of a header that proves who asks is not kept. */
    readonly value: string;
  }[];
  /** Body as it came, at most 256 KiB of it. */
  readonly body: string;
  /** Form of `body`: base64 where the bytes are no UTF-8. */
  readonly encoding: 'text' | 'base64';
  /** Whether `body` is only the beginning. */
  readonly isCut: boolean;
};

export type InspectedRow = {
  /** Prefix `irq_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Inspector that it came to. */
  readonly inspectorId: string;
  /** Method of the request. */
  readonly method: string;
  /** Rest of the path behind the address of the inspector, and query. Empty as a rule. */
  readonly path: string;
  /** Bytes of the body as it came. */
  readonly bytes: number;
  /** Standard Webhooks signature. */
  readonly signature: {
    /** `verified`: a secret of a subscription has signed it. `unsigned`: it has no `webhook-signature`. */
    readonly status: 'verified' | 'failed' | 'unsigned';
    /** Why it failed. */
    readonly reason?: 'header_missing' | 'timestamp_malformed' | 'timestamp_off' | 'message_unknown' | 'secret_unreadable' | 'signature_differs';
    /** Message that `webhook-id` names, where this environment has it. */
    readonly messageId?: string;
    /** Subscription whose secret was asked. */
    readonly subscriptionId?: string;
  };
  /** Answer that the sender got. */
  readonly answer: {
    /** Status that the sender got. */
    readonly status: number;
    /** Milliseconds that the answer was held back. */
    readonly delayMs: number;
  };
  /** When it arrived. */
  readonly arrivedAt: string;
};

export type Inspector = {
  /** Prefix `ins_` and 26 characters, of 128 random bits. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Address that shows what arrives: whoever knows it can send there. */
  readonly url: string;
  /** Answer that senders get. */
  readonly answer: {
    /** Status of each answer. */
    readonly status: number;
    /** Milliseconds before each answer. */
    readonly delayMs: number;
    /** So many of a hundred answers are 500 instead. */
    readonly failurePercent: number;
  };
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

export type Invitation = {
  /** Prefix `inv_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Email address of the only person who can accept it. */
  readonly email: string;
  /** Role that the new member will have. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** Id of the user who created it, or `command line`. */
  readonly invitedBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires: 72 hours after it was created. */
  readonly expiresAt: string;
};

export type InvitationPreview = {
  /** Organisation of the invitation. */
  readonly organisation: {
    /** Prefix `org_` and 26 characters that sort by the time of making. */
    readonly id: string;
    /** Display name. */
    readonly name: string;
  };
  /** Email address of the only person who can accept it. */
  readonly email: string;
  /** Role that the new member will have. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** When it expires. */
  readonly expiresAt: string;
  /** Whether the invited person already has an account, whose password is then required. */
  readonly hasAccount: boolean;
};

export type JsonWebKeySet = {
  /** Keys of tokens that may still be valid, and the key that will sign next. */
  readonly keys: readonly {
    /** Key type. */
    readonly kty: 'OKP';
    /** Curve. */
    readonly crv: 'Ed25519';
    /** Public key, in base64url. */
    readonly x: string;
    /** Key id (RFC 7638 thumbprint), as in the header of tokens. */
    readonly kid: string;
    /** Signature algorithm. */
    readonly alg: 'EdDSA';
    /** Key use: signatures. */
    readonly use: 'sig';
  }[];
};

export type Limits = {
  /** Requests per 60 seconds. */
  readonly requestsPerMinute: number;
  /** Requests per second. */
  readonly burst: number;
  /** Requests in flight. */
  readonly concurrent: number;
  /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
  readonly batchPerMinute: number;
};

export type ListApiKeys = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only keys with this status. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type ListApprovals = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled' | undefined;
  /** Run that asks. */
  readonly runId?: string | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
};

export type ListApps = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only apps with this status. */
  readonly status?: 'active' | 'suspended' | undefined;
};

export type ListAudit = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only entries with this action. */
  readonly action?: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked' | undefined;
  /** Only entries by this principal. */
  readonly actorId?: string | undefined;
  /** Only entries about this resource. */
  readonly targetId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `false` omits the changed fields of each entry, which keeps pages small. */
  readonly changes?: 'true' | 'false' | undefined;
};

export type ListBulkReplays = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those with this status. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListBulkRetries = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those with this status. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListChannels = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only channels with this status. */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, in any case. */
  readonly name?: string | undefined;
  /** `false` omits large fields, which keeps pages small: `trigger` and `steps` of workflows, schemas of channels. */
  readonly definitions?: 'true' | 'false' | undefined;
};

export type ListConnections = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only for this connector. */
  readonly connectorId?: string | undefined;
  /** Only with this status. */
  readonly status?: 'ready' | 'unauthorized' | undefined;
};

export type ListConnectors = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only of this category. */
  readonly category?: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general' | undefined;
  /** Only with this text in the name or the description. */
  readonly search?: string | undefined;
};

export type ListDeadLetters = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'open' | 'replayed' | 'discarded' | readonly ('open' | 'replayed' | 'discarded')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ListDeliveries = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those whose last response took at least this many milliseconds, from 1,000. */
  readonly minLatencyMs?: number | undefined;
  /** `true`: only those that are on hold. `false`: only the others. */
  readonly held?: 'true' | 'false' | undefined;
  /** Only those that this replay or bulk retry was the last to make due. */
  readonly replayId?: string | undefined;
  /** `false` omits the bodies of the last responses, which keeps pages small: `response.body` is empty. */
  readonly responseBodies?: 'true' | 'false' | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ListInboundRequests = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only with this outcome. */
  readonly outcome?: 'received' | 'repeated' | 'refused' | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ListInspectors = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those with this in their name, in any case. */
  readonly name?: string | undefined;
};

export type ListMachineCredentials = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only credentials with this status. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type ListMarkers = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ListMembers = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only these members: up to 100 user ids, separated by commas. */
  readonly userIds?: readonly string[] | undefined;
};

export type ListMessageReplays = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those with this status. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListMessages = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `newest`: newest first. `committed`: oldest first, in the order in which messages became visible. Every page has a cursor, and a client that continues from it misses nothing; `until` is rejected. Default: "newest". */
  readonly order?: 'newest' | 'committed' | undefined;
};

export type ListRefusals = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only with this reason. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed' | undefined;
};

export type ListRequests = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only requests whose signature has this status. */
  readonly signatureStatus?: 'verified' | 'failed' | 'unsigned' | undefined;
};

export type ListRuns = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** With `false` the outputs of runs are left out, and a page stays small. */
  readonly outputs?: 'true' | 'false' | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
};

export type ListRunsOfWorkflow = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** With `false` the outputs of runs are left out, and a page stays small. */
  readonly outputs?: 'true' | 'false' | undefined;
};

export type ListScheduled = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only messages with this status. Default: "scheduled". */
  readonly status?: 'scheduled' | 'cancelled' | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `false` omits payload and metadata of each message, which keeps pages small. */
  readonly payloads?: 'true' | 'false' | undefined;
};

export type ListSecrets = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only those with this in their name, in any case. */
  readonly name?: string | undefined;
};

export type ListSubscriptions = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only subscriptions of this channel. */
  readonly channelId?: string | undefined;
  /** Only subscriptions with this `owner`. */
  readonly owner?: string | undefined;
  /** Only subscriptions with this status. */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** `true`: only subscriptions that need attention, because they are disabled, their receiver is failing (`failingSince` of their statistics), their circuit is not closed, or their secrets cannot be decrypted. `false`: only the others. */
  readonly failing?: 'true' | 'false' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name or of the host of the URL, case-insensitive. */
  readonly name?: string | undefined;
};

export type ListVersions = {
  /** Only this version, with its definition. */
  readonly version?: number | undefined;
  /** Only versions with a lower number. */
  readonly beforeVersion?: number | undefined;
};

export type ListWebhooks = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'disabled' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, in any case. */
  readonly name?: string | undefined;
};

export type ListWorkflows = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, in any case. */
  readonly name?: string | undefined;
  /** Only those whose present steps name this connection. */
  readonly connectionId?: string | undefined;
  /** With `false` large parts are left out, and a page stays small: trigger and steps of workflows, schemas of channels. */
  readonly definitions?: 'true' | 'false' | undefined;
};

export type MachineCredential = {
  /** Used as `client_id` in token requests. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** App it belongs to. */
  readonly appId: string;
  /** Environment it belongs to; it cannot access any other. */
  readonly environment: 'live' | 'test';
  /** Tier. Its limits apply where the credential has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Effective limits: the credential's own or those of its tier. */
  readonly limits: Limits;
  /** Scopes that its access tokens can have. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** Only an active credential can obtain tokens, and only its tokens are valid. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. */
  readonly secrets: readonly {
    /** Last 4 characters of the secret. */
    readonly last4: string;
    /** When the secret was created. */
    readonly createdAt: string;
    /** When the secret expires, because a newer one was created. Absent for the newest secret. */
    readonly expiresAt?: string;
    /** When the secret was last used to obtain a token. Absent if never. */
    readonly lastUsedAt?: string;
  }[];
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. Absent if never. */
  readonly expiresAt?: string;
  /** When it last obtained a token. Absent if never. */
  readonly lastUsedAt?: string;
  /** IP address from which it obtained that token. */
  readonly lastUsedAddress?: string;
};

export type Marker = {
  /** Prefix `mrk_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** The event. */
  readonly name: string;
  /** When it was. */
  readonly at: string;
  /** API key, machine credential or person who has marked it. */
  readonly madeBy: string;
  /** When it was marked. */
  readonly createdAt: string;
};

export type Member = {
  /** Prefix `usr_` and 26 characters that sort by the time of making. */
  readonly userId: string;
  /** Email address that the user signs in with. */
  readonly email: string;
  /** Display name. */
  readonly name: string;
  /** Determines what the member may do. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** When the user became a member. */
  readonly createdAt: string;
};

export type Message = {
  /** Prefix `msg_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent if it has been erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent if none was given, if it has been erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was or will be published. */
  readonly publishedAt: string;
  /** Same as publishedAt, for a message that is scheduled or was cancelled. */
  readonly deliverAt?: string;
  /** When it was cancelled. Absent if it was not. */
  readonly cancelledAt?: string;
  /** Why it was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Combined status of its deliveries: `pending` while any is unfinished. Before it is published: `scheduled` or `cancelled`. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
};

export type MessageReplay = {
  /** Prefix `rpm_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Subscription that receives the messages again. */
  readonly subscriptionId: string;
  /** Status of the replay. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** Start of the time range (publication time, inclusive). */
  readonly since: string;
  /** End of the time range (publication time, exclusive). */
  readonly until: string;
  /** Event types that narrow those of the subscription. An empty list means all. */
  readonly eventTypes: readonly string[];
  /** Whether messages that already have a delivery are skipped, even a failed one. */
  readonly onlyMissing: boolean;
  /** Maximum deliveries per second that become due. */
  readonly ratePerSecond: number;
  /** Matching messages found so far. */
  readonly matched: number;
  /** Messages replayed so far. */
  readonly replayed: number;
  /** Current status of what was replayed. A delivery or run that a later replay has made due counts there instead. */
  readonly outcome: {
    /** Delivered deliveries and completed runs. */
    readonly succeeded: number;
    /** Deliveries and runs that are not finished. */
    readonly underWay: number;
    /** Deliveries and runs that failed again, and cancelled runs. */
    readonly failed: number;
    /** Whether the numbers are exact. Each counts up to 10,000, or 1,000 in a list. */
    readonly isExact: boolean;
  };
  /** Publication time of the last message examined. Absent before the first one. */
  readonly upTo?: string;
  /** Who requested it: an API key, a machine credential or a user. */
  readonly requestedBy: string;
  /** When it was requested. */
  readonly createdAt: string;
  /** When it finished. Absent until then. */
  readonly finishedAt?: string;
};

export type MessageReplayOrPreview = MessageReplay | {
  /** Always `preview`: nothing was changed. */
  readonly status: 'preview';
  /** Messages that a replay would deliver now. */
  readonly matched: number;
  /** Whether `matched` is exact. Counting stops after 100,000 messages, or 2,000 if the subscription has a filter. */
  readonly isExact: boolean;
  /** Always 0. */
  readonly replayed: 0;
  /** Up to five of the oldest. */
  readonly oldest: readonly {
    /** Prefix `msg_` and 26 characters that sort by the time of making. */
    readonly id: string;
    /** Event type of the message. */
    readonly eventType: string;
    /** When it was published. */
    readonly publishedAt: string;
  }[];
};

export type MessageRouting = {
  /** Subscriptions of the channel, newest first, up to 100. */
  readonly subscriptions: readonly {
    /** Prefix `sub_` and 26 characters that sort by the time of making. */
    readonly subscriptionId: string;
    /** Name of the subscription. */
    readonly name: string;
    /** Whether a delivery would be created. */
    readonly wouldReceive: boolean;
    /** Why the subscription would or would not receive the message. `no_filter` and `filter_matches`: it would. `event_type`: its event types do not match. `filter_does_not_match`: its filter does not match. `filter_failed`: its filter could not be evaluated. */
    readonly reason: 'no_filter' | 'filter_matches' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** Explanation of the reason. */
    readonly detail?: string;
    /** What the delivery would wait for: `paused` and `disabled` for a resume, `circuit` for the next probe, `app_suspended` for the app. */
    readonly heldBy?: 'app_suspended' | 'paused' | 'disabled' | 'circuit';
    /** Delivery of the message to this subscription. Absent if there is none. */
    readonly deliveryId?: string;
  }[];
  /** Whether the channel has further subscriptions. */
  readonly isMore: boolean;
};

export type MessageSummary = {
  /** Prefix `msg_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** When it was published. */
  readonly publishedAt: string;
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Size of its payload in UTF-8 bytes. Absent if it has been erased. */
  readonly payloadBytes?: number;
  /** Combined status of its deliveries: `pending` while any is unfinished. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted';
  /** Number of deliveries by status. The remaining ones are unfinished, or ended because their subscription was deleted. */
  readonly deliveries: {
    /** All deliveries. */
    readonly total: number;
    /** Successful deliveries. */
    readonly delivered: number;
    /** Deliveries that failed permanently. */
    readonly failed: number;
  };
};

export type NewApiKey = {
  /** Prefix `key_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** App it belongs to. */
  readonly appId: string;
  /** Environment it belongs to; it cannot access any other. */
  readonly environment: 'live' | 'test';
  /** Tier. Its limits apply where the key has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Effective limits: the credential's own or those of its tier. */
  readonly limits: Limits;
  /** Scopes. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** First 12 characters of the key, to recognise it by. */
  readonly prefix: string;
  /** Last 4 characters of the key. */
  readonly last4: string;
  /** Only an active key is accepted. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. Absent if never. */
  readonly expiresAt?: string;
  /** When it was last used, to the minute. Absent if never. */
  readonly lastUsedAt?: string;
  /** IP address of the first request in that minute. Behind proxies, TRUSTED_PROXY_HOPS decides which address of `X-Forwarded-For` this is. */
  readonly lastUsedAddress?: string;
  /** Until when the key from before the last rotation is accepted too. Absent if only the current key is accepted. */
  readonly previousKeyExpiresAt?: string;
  /** The API key. It is never shown again. */
  readonly key: string;
};

export type NewInvitation = {
  /** Prefix `inv_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Email address of the only person who can accept it. */
  readonly email: string;
  /** Role that the new member will have. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** Id of the user who created it, or `command line`. */
  readonly invitedBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires: 72 hours after it was created. */
  readonly expiresAt: string;
  /** Link for the recipient, shown only once. Its code comes after `#code=`. */
  readonly link: string;
  /** Whether the link was emailed to the recipient. If not, pass it on yourself. */
  readonly isMailed: boolean;
};

export type NewMachineCredential = {
  /** Used as `client_id` in token requests. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** App it belongs to. */
  readonly appId: string;
  /** Environment it belongs to; it cannot access any other. */
  readonly environment: 'live' | 'test';
  /** Tier. Its limits apply where the credential has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Effective limits: the credential's own or those of its tier. */
  readonly limits: Limits;
  /** Scopes that its access tokens can have. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** Only an active credential can obtain tokens, and only its tokens are valid. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. */
  readonly secrets: readonly {
    /** Last 4 characters of the secret. */
    readonly last4: string;
    /** When the secret was created. */
    readonly createdAt: string;
    /** When the secret expires, because a newer one was created. Absent for the newest secret. */
    readonly expiresAt?: string;
    /** When the secret was last used to obtain a token. Absent if never. */
    readonly lastUsedAt?: string;
  }[];
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. Absent if never. */
  readonly expiresAt?: string;
  /** When it last obtained a token. Absent if never. */
  readonly lastUsedAt?: string;
  /** IP address from which it obtained that token. */
  readonly lastUsedAddress?: string;
  /** Client secret, used to sign token requests. It is never shown again. */
  readonly clientSecret: string;
};

export type NewRecoveryCodes = {
  /** Ten recovery codes, each valid for one sign-in. Shown only once. */
  readonly recoveryCodes: readonly string[];
};

export type Organisation = {
  /** Prefix `org_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Display name. Several organisations can have the same name. */
  readonly name: string;
  /** When the organisation was created. */
  readonly createdAt: string;
  /** When the organisation was last changed. */
  readonly updatedAt: string;
};

export type PageQuery = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
};

export type Passkey = {
  /** Prefix `pky_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Display name, chosen by the user. */
  readonly name: string;
  /** When it was added. */
  readonly createdAt: string;
  /** When it was last used to authenticate. Absent if never. */
  readonly lastUsedAt?: string;
  /** Whether the passkey is backed up, for example synchronised to other devices, as reported at its last use. */
  readonly isBackedUp: boolean;
};

export type PasskeyAdded = {
  /** Prefix `pky_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Display name, chosen by the user. */
  readonly name: string;
  /** When it was added. */
  readonly createdAt: string;
  /** When it was last used to authenticate. Absent if never. */
  readonly lastUsedAt?: string;
  /** Whether the passkey is backed up, for example synchronised to other devices, as reported at its last use. */
  readonly isBackedUp: boolean;
  /** Ten recovery codes, if this is the first second factor. Shown only once. */
  readonly recoveryCodes?: readonly string[];
};

export type PasskeyBody = {
  /** Credential from the browser, as its `toJSON()` returns it. */
  readonly passkey: {
    /** Credential id, in base64url. */
    readonly id: string;
    /** The same id. */
    readonly rawId: string;
    /** Always `public-key`. */
    readonly type: 'public-key';
    /** Response of the authenticator. */
    readonly response: {
      /** Client data that the authenticator signed, in base64url. */
      readonly clientDataJSON: string;
      /** Authenticator data, in base64url. */
      readonly authenticatorData: string;
      /** Signature over both, in base64url. */
      readonly signature: string;
      /** User id, in base64url. */
      readonly userHandle?: string | null | undefined;
    };
  };
};

export type PasskeyCreation = {
  /** 256 random bits in base64url, valid once, for 5 minutes. */
  readonly challenge: string;
  /** The relying party: this service. */
  readonly rp: {
    /** Host the passkey is bound to. */
    readonly id: string;
    /** Display name. */
    readonly name: string;
  };
  /** The user. */
  readonly user: {
    /** User handle: the id of the user, in base64url. */
    readonly id: string;
    /** Email address that the user signs in with. */
    readonly name: string;
    /** Display name. */
    readonly displayName: string;
  };
  /** Accepted algorithms, in order of preference. */
  readonly pubKeyCredParams: readonly {
    /** COSE algorithm identifier. */
    readonly alg: number;
    /** Credential type. */
    readonly type: 'public-key';
  }[];
  /** Milliseconds for which the browser should wait for the user. */
  readonly timeout: number;
  /** No attestation of the authenticator is requested. */
  readonly attestation: 'none';
  /** Passkeys that the user already has. */
  readonly excludeCredentials: readonly {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** Credential type. */
    readonly type: 'public-key';
    /** How to reach the authenticator, as it reported when the passkey was created. */
    readonly transports?: readonly string[];
  }[];
  /** Requirements for the authenticator. */
  readonly authenticatorSelection: {
    /** The passkey must be discoverable without its id. */
    readonly residentKey: 'required';
    /** Same as `residentKey`, for older browsers. */
    readonly requireResidentKey: true;
    /** The authenticator must verify the user, for example by PIN or fingerprint. */
    readonly userVerification: 'required';
  };
};

export type PasskeyRequest = {
  /** 256 random bits in base64url, valid once, for 5 minutes. */
  readonly challenge: string;
  /** Host the passkey is bound to. */
  readonly rpId: string;
  /** Milliseconds for which the browser should wait for the user. */
  readonly timeout: number;
  /** The authenticator must verify the user, for example by PIN or fingerprint. */
  readonly userVerification: 'required';
  /** Passkeys of the user. Empty if the user is not known yet. */
  readonly allowCredentials: readonly {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** Credential type. */
    readonly type: 'public-key';
    /** How to reach the authenticator, as it reported when the passkey was created. */
    readonly transports?: readonly string[];
  }[];
};

export type PayloadValidation = {
  /** Whether all payloads satisfy the schemas. */
  readonly valid: boolean;
  /** Result for each payload, in the order of the request. */
  readonly results: readonly {
    /** Whether the payload satisfies the schemas. */
    readonly valid: boolean;
    /** First problem of each schema. Field names begin with `payload`. */
    readonly errors: readonly FieldProblem[];
  }[];
};

export type PreviewInvitation = {
  /** Code of the link (the part after `#code=`). */
  readonly code: string;
};

export type PublishAcross = {
  /** Messages, in order. */
  readonly messages: readonly {
    /** Your own id for the message: up to 128 visible ASCII characters. For 24 hours, publishing again with the same id, content and time returns the first message; other content is CONFLICT. The id of a cancelled message can be reused. */
    readonly id?: string | undefined;
    /** What happened, such as `order.created`: 1 to 128 characters, without `*`, commas, or white space at either end. */
    readonly eventType: string;
    /** Any JSON object, up to 256 KiB, 32 levels and 10,000 members (100,000 in all payloads of a request). Delivered digit for digit. */
    readonly payload: object;
    /** Strings that accompany the message: up to 50 entries and 16 KiB. */
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    /** When to publish the message: up to 365 days ahead. Up to five minutes ago means now; an older time is INVALID_REQUEST. Cannot be combined with `delay`. */
    readonly deliverAt?: string | Date | undefined;
    /** Milliseconds from now until the message is published. Cannot be combined with `deliverAt`. */
    readonly delay?: number | undefined;
    /** Channel to publish to. */
    readonly channelId: string;
  }[];
};

export type PublishBatch = {
  /** Messages, in order. */
  readonly messages: readonly PublishMessage[];
};

export type PublishMessage = {
  /** Your own id for the message: up to 128 visible ASCII characters. For 24 hours, publishing again with the same id, content and time returns the first message; other content is CONFLICT. The id of a cancelled message can be reused. */
  readonly id?: string | undefined;
  /** What happened, such as `order.created`: 1 to 128 characters, without `*`, commas, or white space at either end. */
  readonly eventType: string;
  /** Any JSON object, up to 256 KiB, 32 levels and 10,000 members (100,000 in all payloads of a request). Delivered digit for digit. */
  readonly payload: object;
  /** Strings that accompany the message: up to 50 entries and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When to publish the message: up to 365 days ahead. Up to five minutes ago means now; an older time is INVALID_REQUEST. Cannot be combined with `delay`. */
  readonly deliverAt?: string | Date | undefined;
  /** Milliseconds from now until the message is published. Cannot be combined with `deliverAt`. */
  readonly delay?: number | undefined;
  /** Channel of the path. May be omitted. */
  readonly channelId?: string | undefined;
};

export type PublishedMessage = {
  /** Prefix `msg_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent if it has been erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent if none was given, if it has been erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was or will be published. */
  readonly publishedAt: string;
  /** Same as publishedAt, for a message that is scheduled or was cancelled. */
  readonly deliverAt?: string;
  /** When it was cancelled. Absent if it was not. */
  readonly cancelledAt?: string;
  /** Why it was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Combined status of its deliveries: `pending` while any is unfinished. Before it is published: `scheduled` or `cancelled`. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
  /** Schema violations of payloads that were published nevertheless, because the channel only warns. Only in responses to publishes. */
  readonly warnings?: readonly FieldProblem[];
};

export type RenamePasskey = {
  /** Display name. */
  readonly name?: string | undefined;
};

export type RenameUser = {
  /** Display name. */
  readonly name?: string | undefined;
};

export type ReplayMessage = {
  /** Subscription to deliver to, in the channel of the message. */
  readonly subscriptionId: string;
};

export type RequestBody = {
  /** Prefix `irf_` and 26 characters that sort by the time of making. */
  readonly requestId: string;
  /** Its `Content-Type`, where it had one. */
  readonly contentType?: string;
  /** Length of the body. */
  readonly bytes: number;
  /** Body as it came. */
  readonly body: string;
  /** Form of `body`: base64 where the bytes are no UTF-8. */
  readonly encoding: 'text' | 'base64';
};

export type ResetLink = {
  /** Link for the recipient, shown only once. Its code comes after `#code=`. */
  readonly link: string;
  /** Whether the link was emailed to the recipient. If not, pass it on yourself. */
  readonly isMailed: boolean;
  /** When it expires: after 30 minutes. */
  readonly expiresAt: string;
};

export type ResetPassword = {
  /** Code of the link (the part after `#code=`). */
  readonly code: string;
  /** New password, at least 12 characters. */
  readonly password: string;
};

export type RetryRun = {
  /** `failed`: at the steps that failed. `start`: at the first step, as if no step had been taken, with other idempotency keys. An object: at that step, in the same way, and the steps before it keep their results. Default: "failed". */
  readonly from?: 'failed' | 'start' | {
    /** Step that the run has reached, in no loop and no branch. */
    readonly stepId: string;
  } | undefined;
  /** Definition to go on under: its own, or the latest one of the workflow. Default: "original". */
  readonly definition?: 'original' | 'latest' | undefined;
};

export type RevokedSessions = {
  /** Number of sessions that were ended. */
  readonly revoked: number;
};

export type RotateApiKey = {
  /** Seconds for which the previous key remains valid alongside the new one. Default: 0. */
  readonly overlapSeconds?: number | undefined;
};

export type RotateMachineCredential = {
  /** Maximum hours for which older secrets stay valid alongside the new one. Default: 24. */
  readonly overlapHours?: number | undefined;
};

export type RotateSubscriptionSecret = {
  /** Maximum hours for which older secrets stay valid alongside the new one. Default: 24. */
  readonly overlapHours?: number | undefined;
  /** The new secret: `whsec_` and the base64 of 24 to 64 bytes. If omitted, one is created. */
  readonly secret?: string | undefined;
};

export type RotateWebhookSecret = {
  /** The new secret. Made where it is left out and the service lets you choose. */
  readonly secret?: string | undefined;
  /** Hours for which older secrets stay valid beside the new one, at most. Default: 24. */
  readonly overlapHours?: number | undefined;
};

export type Run = {
  /** Prefix `run_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Workflow that it is a run of. */
  readonly workflowId: string;
  /** Version of the definition that it keeps to its end. */
  readonly definitionVersion: number;
  /** How far it has come. */
  readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  /** How it began. */
  readonly trigger: {
    /** Kind of the trigger; `workflow` where a step of another run began it. */
    readonly type: 'event' | 'webhook' | 'schedule' | 'manual' | 'workflow';
    /** Message that began it. */
    readonly messageId?: string;
    /** Channel of that message. */
    readonly channelId?: string;
    /** Run whose step began it. */
    readonly runId?: string;
    /** That step. Absent once it has begun another run. */
    readonly stepId?: string;
  };
  /** When it was made. */
  readonly createdAt: string;
  /** When its first step could begin. Absent before. */
  readonly startedAt?: string;
  /** When it ended. Absent before. */
  readonly finishedAt?: string;
  /** Why it failed, or waits for a person. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** The same for people. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId?: string;
  };
  /** Why it was cancelled or skipped. */
  readonly reason?: string;
  /** Filter that ended the run as `completed`, because its expression was false: id of the step. */
  readonly filteredBy?: string;
  /** Output of the `end` step that ended it. Absent in a list with `outputs=false`. */
  readonly output?: unknown;
  /** Definition that it keeps to its end, as it was written: the workflow may have another one since. */
  readonly definition: {
    /** Beginning of a run. */
    readonly trigger: Readonly<Record<string, unknown>>;
    /** Work of a run. */
    readonly steps: readonly unknown[];
  };
  /** Steps that have begun, in the order in which they did. */
  readonly steps: readonly {
    /** Id of the step in the definition. */
    readonly id: string;
    /** Places of its items in the loops around it, from 0, joined by dots. Empty outside loops. */
    readonly iteration: string;
    /** Kind of the step. `item` is an item of a foreach, once it has ended. */
    readonly type: 'action' | 'condition' | 'switch' | 'filter' | 'transform' | 'delay' | 'wait_for_event' | 'approval' | 'foreach' | 'parallel' | 'workflow' | 'end' | 'item';
    /** How far it has come. */
    readonly status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
    /** Values that were resolved for it before its first attempt; all attempts take them. */
    readonly input?: unknown;
    /** Its result. */
    readonly output?: unknown;
    /** Why its last attempt failed. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
      readonly code: string;
      /** The same for people. */
      readonly message: string;
    };
    /** Attempts so far. */
    readonly attempts: number;
    /** Attempts whose worker stopped before their result was recorded. They may have had their effect. */
    readonly crashes?: number;
    /** When it began. */
    readonly startedAt: string;
    /** When it ended. Absent before. */
    readonly finishedAt?: string;
  }[];
};

export type RunStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** Figures of the whole span. */
  readonly totals: {
    /** Runs whose first step could begin. A retry from the start counts once more. */
    readonly started: number;
    /** Runs that have completed, those that a filter has ended too. Each counts once. */
    readonly completed: number;
    /** Failures of runs. One that fails again after a retry counts again. */
    readonly failed: number;
    /** Runs that were cancelled. */
    readonly cancelled: number;
    /** Runs that their trigger has let do nothing. */
    readonly skipped: number;
  };
  /** Figures of each step, oldest first, those without a run too. */
  readonly points: readonly {
    /** When the step began. */
    readonly at: string;
    /** Runs whose first step could begin. A retry from the start counts once more. */
    readonly started: number;
    /** Runs that have completed, those that a filter has ended too. Each counts once. */
    readonly completed: number;
    /** Failures of runs. One that fails again after a retry counts again. */
    readonly failed: number;
    /** Runs that were cancelled. */
    readonly cancelled: number;
    /** Runs that their trigger has let do nothing. */
    readonly skipped: number;
  }[];
  /** Runs that have not ended now. Runs of one workflow are counted among the newest 5,000 of each status. */
  readonly unfinished: {
    /** How many there are, 1,000 at most. */
    readonly count: number;
    /** Whether there may be more than that. */
    readonly isMore: boolean;
  };
};

export type RunStatsQuery = {
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type RunSummary = {
  /** Prefix `run_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Workflow that it is a run of. */
  readonly workflowId: string;
  /** Version of the definition that it keeps to its end. */
  readonly definitionVersion: number;
  /** How far it has come. */
  readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  /** How it began. */
  readonly trigger: {
    /** Kind of the trigger; `workflow` where a step of another run began it. */
    readonly type: 'event' | 'webhook' | 'schedule' | 'manual' | 'workflow';
    /** Message that began it. */
    readonly messageId?: string;
    /** Channel of that message. */
    readonly channelId?: string;
    /** Run whose step began it. */
    readonly runId?: string;
    /** That step. Absent once it has begun another run. */
    readonly stepId?: string;
  };
  /** When it was made. */
  readonly createdAt: string;
  /** When its first step could begin. Absent before. */
  readonly startedAt?: string;
  /** When it ended. Absent before. */
  readonly finishedAt?: string;
  /** Why it failed, or waits for a person. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** The same for people. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId?: string;
  };
  /** Why it was cancelled or skipped. */
  readonly reason?: string;
  /** Filter that ended the run as `completed`, because its expression was false: id of the step. */
  readonly filteredBy?: string;
  /** Output of the `end` step that ended it. Absent in a list with `outputs=false`. */
  readonly output?: unknown;
};

export type Schedule = {
  /** When the next run begins, without jitter. Absent while the workflow is not active or has a problem, and when its schedule has ended. */
  readonly nextRunAt?: string;
  /** Last time that began a run. Absent before the first one. */
  readonly lastRunAt?: string;
  /** Why Temporal does not have the schedule as it was last changed: it has refused it, or could not be told of it yet. */
  readonly problem?: string;
};

export type Search = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only messages of this channel. */
  readonly channelId?: string | undefined;
  /** `true` includes messages of the channel `posthorn.system`. By default, they are listed only if `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only messages whose deliveries have one of these combined statuses. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
  /** An id, your own id of a message, an event type, a part of a name, `payload.<path>=<value>`, or a value of at least 3 characters that a payload has anywhere. Absent: the newest messages. */
  readonly q?: string | undefined;
  /** With `false` a value without a path is not looked for in payloads, which is faster where only names are wanted. */
  readonly payloads?: 'true' | 'false' | undefined;
};

export type SearchMessages = {
  /** `pagination.cursor` of the page before, with the same filters. Empty: the first page. */
  readonly cursor?: string | undefined;
  /** Items on the page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only messages of this channel. */
  readonly channelId?: string | undefined;
  /** `true` includes messages of the channel `posthorn.system`. By default, they are listed only if `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only the message published with this `id` within the last 24 hours. */
  readonly publisherId?: string | undefined;
  /** Only messages whose deliveries have one of these combined statuses. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
};

export type SearchPage = {
  /** Number of messages searched. */
  readonly messages: number;
  /** Bytes of payload searched. 0 if the search did not need payloads. */
  readonly bytes: number;
  /** Publication time of the newest of them. Absent if there was none. */
  readonly newestAt?: string;
  /** Publication time of the oldest of them. Absent if there was none. */
  readonly oldestAt?: string;
  /** Whether nothing is left to search. */
  readonly isComplete: boolean;
  /** Duration of the search in milliseconds. */
  readonly milliseconds: number;
};

export type SearchResults = {
  /** Resources that were found: by their id, then by their names, then messages, the newest first. */
  readonly data: readonly {
    /** Kind of the resource. */
    readonly kind: 'message' | 'delivery' | 'attempt' | 'deadLetter' | 'bulkReplay' | 'bulkRetry' | 'messageReplay' | 'subscription' | 'channel' | 'workflow' | 'run' | 'approval' | 'connection' | 'webhook';
    /** Id of the resource. */
    readonly id: string;
    /** The resource in one line. */
    readonly summary: string;
    /** Its status. Absent where its kind has none. */
    readonly status?: string;
    /** When it was made, or published. */
    readonly at: string;
    /** Part of it that `q` names: `everything` without a `q`. */
    readonly matched: 'id' | 'publisherId' | 'eventType' | 'name' | 'payload' | 'everything';
    /** Delivery of an attempt. Absent on other kinds. */
    readonly deliveryId?: string;
  }[];
  /** Messages that were read for it. */
  readonly lookedThrough: SearchPage;
  /** Where the search goes on. */
  readonly pagination: {
    /** Goes on behind the messages that were looked through. Absent where nothing is left. */
    readonly cursor?: string;
    /** Whether messages are left to look through. */
    readonly hasMore: boolean;
  };
};

export type SecondFactor = {
  /** Six-digit code of the authenticator app. */
  readonly code?: string | undefined;
  /** An unused recovery code. */
  readonly recoveryCode?: string | undefined;
  /** Credential from the browser, as its `toJSON()` returns it. */
  readonly passkey?: {
    /** Credential id, in base64url. */
    readonly id: string;
    /** The same id. */
    readonly rawId: string;
    /** Always `public-key`. */
    readonly type: 'public-key';
    /** Response of the authenticator. */
    readonly response: {
      /** Client data that the authenticator signed, in base64url. */
      readonly clientDataJSON: string;
      /** Authenticator data, in base64url. */
      readonly authenticatorData: string;
      /** Signature over both, in base64url. */
      readonly signature: string;
      /** User id, in base64url. */
      readonly userHandle?: string | null | undefined;
    };
  } | undefined;
};

export type SendSample = {
  /** Exact text; with the scheme `body`, of its `payload`. */
  readonly body?: string | undefined;
  /** Headers beside the signature, over those of the sample: the event type of many services stands there. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export type SentSample = {
  /** `repeated`: an earlier request had the same id of the event. A `handshake` becomes no message. */
  readonly outcome: 'received' | 'repeated' | 'handshake' | 'refused';
  /** HTTP status with which the sender would be answered. */
  readonly status: number;
  /** Message that it became, now or the first time its event came. */
  readonly messageId?: string;
  /** Why it was refused. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The same in words. */
  readonly detail?: string;
};

export type Service = {
  /** State of the service as a whole. `down`: messages are refused, or nothing is delivered. `degraded`: everything works, but late or with less protection. */
  readonly verdict: 'healthy' | 'degraded' | 'down';
  /** Everything that keeps the service from being healthy, the worst first. Empty if it is healthy. */
  readonly reasons: readonly {
    /** The reason for programs. Operators find what each means and what to do in docs/operate/troubleshooting.md. */
    readonly code: 'database_unavailable' | 'schema_unfit' | 'encryption_keys_unfit' | 'row_security_off' | 'no_worker' | 'worker_late' | 'temporal_unreachable' | 'temporal_partly_unreachable' | 'backlog_old' | 'scheduled_late';
    /** The verdict that this reason alone would lead to. */
    readonly verdict: 'degraded' | 'down';
    /** The reason for people, as one plain sentence. */
    readonly message: string;
  }[];
  /** Programs that run here. */
  readonly versions: {
    /** Release of the process that answers. */
    readonly posthorn: string;
    /** Node.js that runs it. */
    readonly node: string;
    /** PostgreSQL. Absent while it does not answer. */
    readonly postgresql?: string;
    /** Temporal server. Absent where it does not answer, or this process does not know it. */
    readonly temporal?: string;
  };
  /** Processes that make deliveries, the newest first. Empty while PostgreSQL does not answer. */
  readonly workers: readonly {
    /** Incarnation: one life of the process. */
    readonly id: string;
    /** Processes that make deliveries have leases; others have none. */
    readonly role: 'worker';
    /** Name of its machine. */
    readonly host?: string;
    /** Its process number there. */
    readonly pid?: number;
    /** When it began. */
    readonly startedAt: string;
    /** When it last renewed its lease. */
    readonly renewedAt: string;
    /** Whether the lease holds. Its deliveries are taken over otherwise. */
    readonly isAlive: boolean;
    /** Whether Temporal answered the worker when it asked last, which is up to 25 seconds ago. */
    readonly reachesTemporal: boolean;
  }[];
  /** Deliveries whose time has come, by state. A state without any is left out. */
  readonly due: readonly {
    /** First attempts and retries wait for a worker, claimed deliveries have one, blocked deliveries belong to a subscription that is paused or disabled or whose circuit breaker is open. */
    readonly state: 'first_attempt' | 'retry' | 'claimed' | 'blocked';
    /** At least so many: 10,000 of each subscription and 100,000 in all are counted. */
    readonly deliveries: number;
    /** Time since the oldest of them was due. */
    readonly oldestDueForMs: number;
  }[];
  /** Time since the oldest scheduled message was due; 0 without one. */
  readonly oldestScheduledForMs: number;
  /** The largest tables, the largest first. */
  readonly tables: readonly {
    /** Table. */
    readonly name: string;
    /** Its size with its indexes. */
    readonly bytes: number;
    /** Rows, as PostgreSQL estimates them. */
    readonly liveRows: number;
    /** Rows that autovacuum has not removed yet. */
    readonly deadRows: number;
  }[];
  /** Migration that was applied last. */
  readonly newestMigration: string;
  /** Whether PostgreSQL keeps tenants apart by itself. */
  readonly rowSecurity: boolean;
  /** Parts that /readyz looks at, and Temporal if this process has its address. */
  readonly checks: readonly {
    /** Part. */
    readonly name: string;
    /** Late has no answer within 2 s. Unknown is what depends on a part that is not up. */
    readonly state: 'up' | 'late' | 'down' | 'unknown';
    /** Why it is down or late. */
    readonly reason?: string;
  }[];
  /** When this was read: a process reads it every 5 seconds at most. */
  readonly lookedAt: string;
};

export type Session = {
  /** Prefix `ses_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Whether this is the session of the request. */
  readonly isCurrent: boolean;
  /** When the user signed in. */
  readonly createdAt: string;
  /** When the user last authenticated. Requests that require recent authentication need this to be at most 10 minutes ago. */
  readonly authenticatedAt: string;
  /** Methods by which the user has authenticated in this session. */
  readonly provenBy: readonly ('password' | 'code' | 'recoveryCode' | 'passkey' | 'singleSignOn')[];
  /** When it was last used, to the minute. It ends after 12 hours without use. */
  readonly lastUsedAt: string;
  /** When it ends at the latest: 7 days after it was started. */
  readonly expiresAt: string;
  /** IP address from which it was started. */
  readonly address: string;
  /** Browser with which it was started, as reported in `User-Agent`. */
  readonly userAgent?: string;
};

export type Setup = {
  /** Code of the link (the part after `#code=`). */
  readonly code: string;
  /** Email address. */
  readonly email: string;
  /** Display name. */
  readonly name: string;
  /** New password, at least 12 characters. */
  readonly password: string;
  /** Name of the first organisation. Default: "Default". */
  readonly organisation?: string | undefined;
  /** Name of its app. Default: "Default". */
  readonly app?: string | undefined;
};

export type SignIn = SignedIn | {
  /** Second factor required: continue with POST /v1/sign-in/second-factor. A cookie identifies the sign-in. */
  readonly secondStep: {
    /** Accepted second factors; any one of them is enough. */
    readonly means: readonly ('password' | 'code' | 'recoveryCode' | 'passkey' | 'singleSignOn')[];
    /** When the sign-in expires: after 10 minutes. */
    readonly expiresAt: string;
  };
};

export type SignInBody = {
  /** Email address. */
  readonly email: string;
  /** Password of the account. */
  readonly password: string;
};

export type SignInSettings = {
  /** Signing in by password. */
  readonly password: {
    /** Everybody else comes by single sign-on. */
    readonly isForOwnersAlone: boolean;
  };
  /** Signing in by passkey. */
  readonly passkeys: {
    /** Browsers take host names alone, no IP addresses. */
    readonly isPossible: boolean;
    /** Host that passkeys belong to. Another one loses them all. */
    readonly host?: string;
  };
  /** People may add an authenticator app as their second factor. */
  readonly authenticatorApps: true;
  /** Absent where no provider is set. */
  readonly singleSignOn?: {
    /** Name on the button. */
    readonly name: string;
    /** OpenID provider. */
    readonly issuer: string;
    /** Id of this service there. */
    readonly clientId: string;
    /** Claim that has the groups of a person. */
    readonly groupsClaim: string;
    /** So many groups give roles. */
    readonly groupRoles: number;
    /** Addresses count as proven, though the provider does not say so. */
    readonly isEmailTrusted: boolean;
  };
  /** How long people stay signed in. */
  readonly sessions: {
    /** A session ends when it is not used for so long. */
    readonly idleMs: number;
    /** A session ends so long after signing in. */
    readonly lifeMs: number;
    /** Dangerous actions ask again for a proof after so long. */
    readonly freshMs: number;
    /** Cookies of sessions travel by https alone. */
    readonly isOnHttpsAlone: boolean;
  };
  /** Mails with invitations and links for new passwords. */
  readonly mail: {
    /** Whether links are sent; they are only shown otherwise. */
    readonly isOn: boolean;
    /** Sender. */
    readonly from?: string;
  };
};

export type SignInWays = {
  /** Who can sign in with a password: everyone, or only owners of the first organisation if the operator requires single sign-on. */
  readonly password: 'everyone' | 'owners';
  /** Single sign-on. Absent if no identity provider is set up. */
  readonly singleSignOn?: {
    /** Display name. */
    readonly name: string;
  };
};

export type SignedIn = {
  /** The user. */
  readonly user: User;
  /** The session of this request. */
  readonly session: Session;
  /** Organisations that the user is a member of. */
  readonly organisations: readonly {
    /** Prefix `org_` and 26 characters that sort by the time of making. */
    readonly id: string;
    /** Display name. */
    readonly name: string;
    /** Determines what the user may do in the organisation. */
    readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
    /** Apps that requests of the user can name. */
    readonly apps: readonly {
      /** Prefix `app_` and 26 characters that sort by the time of making. */
      readonly id: string;
      /** Display name. */
      readonly name: string;
      /** Name in URLs, unique in its organisation. */
      readonly slug: string;
    }[];
  }[];
};

export type SingleSignOn = {
  /** URL of the identity provider. Send the browser there within 10 minutes. */
  readonly url: string;
};

export type StartRun = {
  /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
  readonly payload?: object | undefined;
};

export type StartSingleSignOn = {
  /** Path of the dashboard to return to. */
  readonly returnTo?: string | undefined;
};

export type Stats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** Figures of the whole span. */
  readonly totals: {
    /** Messages that were published. Absent on subscriptions, which publish nothing. */
    readonly accepted?: number;
    /** Attempts that have delivered a message. */
    readonly delivered: number;
    /** Attempts that have failed. */
    readonly failedAttempts: number;
    /** Dead letters, of deliveries and of runs. */
    readonly deadLetters: number;
    /** Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too. */
    readonly givenUp?: number;
    /** Latency of the answers of subscribers, good by a fifth. Absent where there was no answer. */
    readonly latencyMs?: {
      /** Half of the answers took so many milliseconds at most. */
      readonly p50: number;
      /** 95 of 100 answers took so many milliseconds at most. */
      readonly p95: number;
    };
  };
  /** Deliveries that were created in the span, by their state now. The success rate is `delivered` ÷ (`delivered` + `failed`). Deliveries that retention has removed are not among them. */
  readonly deliveries: {
    /** Deliveries that were created. The four numbers below add up to it. */
    readonly created: number;
    /** Deliveries that have been delivered, at the first attempt or a later one. */
    readonly delivered: number;
    /** Deliveries that have failed, and have not been retried or replayed since. */
    readonly failed: number;
    /** Deliveries whose attempts have failed so far, and that will be attempted again. */
    readonly retrying: number;
    /** Deliveries that wait for their first attempt, or for the first one of a replay. */
    readonly pending: number;
    /** Whether all of the span were counted. If not, only the newest were. */
    readonly isExact: boolean;
    /** When the oldest counted delivery was created, if older ones of the span were left out. */
    readonly countedSince?: string;
  };
  /** Attempts by the answer of the subscriber, the most frequent first. */
  readonly answers: readonly ({
    /** HTTP status of the answer. */
    readonly status: number;
    /** Attempts that got it. */
    readonly count: number;
  } | {
    /** Kind of the failure without an answer. */
    readonly errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Attempts that ended so. */
    readonly count: number;
  })[];
  /** Figures of each step, oldest first, those without traffic too. */
  readonly points: readonly {
    /** When the step began. */
    readonly at: string;
    /** Messages that were published. Absent on subscriptions, which publish nothing. */
    readonly accepted?: number;
    /** Attempts that have delivered a message. */
    readonly delivered: number;
    /** Attempts that have failed. */
    readonly failedAttempts: number;
    /** Dead letters, of deliveries and of runs. */
    readonly deadLetters: number;
    /** Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too. */
    readonly givenUp?: number;
    /** Latency of the answers of subscribers, good by a fifth. Absent where there was no answer. */
    readonly latencyMs?: {
      /** Half of the answers took so many milliseconds at most. */
      readonly p50: number;
      /** 95 of 100 answers took so many milliseconds at most. */
      readonly p95: number;
    };
    /** Attempts of the step by the class of their answer. */
    readonly answers: {
      /** Attempts that were answered with a status from 200 to 299: they have delivered. */
      readonly status2xx: number;
      /** Attempts that were answered with a status from 300 to 399. */
      readonly status3xx: number;
      /** Attempts that were answered with a status from 400 to 499. */
      readonly status4xx: number;
      /** Attempts that were answered with a status from 500 on. */
      readonly status5xx: number;
      /** Attempts without an answer: no connection, a time-out, a broken one. */
      readonly none: number;
    };
    /** Deliveries that were created in the step, by their state now. Absent if not all of them were counted. */
    readonly deliveries?: {
      /** Deliveries that have been delivered, at the first attempt or a later one. */
      readonly delivered: number;
      /** Deliveries that have failed, and have not been retried or replayed since. */
      readonly failed: number;
      /** Deliveries whose attempts have failed so far, and that will be attempted again. */
      readonly retrying: number;
      /** Deliveries that wait for their first attempt, or for the first one of a replay. */
      readonly pending: number;
    };
  }[];
};

export type StatsQuery = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type StreamMessages = {
  /** Event types or patterns such as `order.*`, separated by commas. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Starts with stored messages published after this time. */
  readonly since?: string | Date | undefined;
};

export type Subscription = {
  /** Prefix `sub_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Channel whose messages it receives. */
  readonly channelId: string;
  /** Display name. */
  readonly name: string;
  /** Your own id for the customer it belongs to, to filter lists by. It does not affect routing: the subscription receives the messages of its channel whatever their owner. Absent if none was given. */
  readonly owner?: string;
  /** URL that messages are sent to. */
  readonly webhookUrl: string;
  /** Deliveries wait unless it is active. Only the service sets `disabled`. */
  readonly status: 'active' | 'paused' | 'disabled';
  /** Since when it has this status. Absent if the change was not recorded. */
  readonly statusChangedAt?: string;
  /** Why it is disabled: its receiver responded 410, or no delivery has succeeded for five days. Absent if unknown. */
  readonly disabledReason?: 'gone' | 'failing';
  /** Event types that it receives, or patterns such as `order.*`. An empty list means all. */
  readonly eventTypes: readonly string[];
  /** CEL expression that selects messages of these event types. Absent if it receives all of them. */
  readonly filter?: string;
  /** When a failed delivery is retried. */
  readonly retryPolicy: {
    /** Retries after the first attempt. */
    readonly maxRetries: number;
    /** Milliseconds before the first retry. */
    readonly initialDelay: number;
    /** Maximum delay between two attempts, in milliseconds. */
    readonly maxDelay: number;
    /** Factor by which each delay is longer than the previous one. */
    readonly backoffMultiplier: number;
  };
  /** Headers sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. Such a wait may be longer than `maxDelay`. */
  readonly maxRetryAfter: number;
  /** Maximum requests in flight. Absent if not set: the limit adapts to the receiver. */
  readonly maxConcurrency?: number;
  /** Maximum attempts per second. Absent if there is no limit. */
  readonly rateLimit?: number;
  /** Whether the circuit breaker is on. */
  readonly circuitBreaker: boolean;
  /** Circuit breaker of the receiver. */
  readonly circuit: {
    /** `open`, after at least 20 attempts within 5 minutes of which 90 % failed: nothing is sent for 30 s. `half_open`: a probe decides whether it closes. */
    readonly state: 'closed' | 'open' | 'half_open';
    /** When it last opened. Absent while it is closed. */
    readonly openedAt?: string;
    /** When the next probe can be sent. Absent while it is closed. */
    readonly nextProbeAt?: string;
  };
  /** Current requests to its receiver over all workers, at most two seconds old. Absent in lists. */
  readonly concurrency?: {
    /** Maximum requests in flight. */
    readonly limit: number;
    /** Requests in flight. */
    readonly inFlight: number;
    /** Mean latency of recent successful responses, in milliseconds. Absent before the first one. */
    readonly latencyMs?: number;
  };
  /** Since when deliveries are on hold because none of the signing secrets can be decrypted. Rotating the secret ends it. */
  readonly secretUnreadableSince?: string;
  /** Settings that do not work as they may seem to: stored values that stricter rules now reject and that are not used, a host name that cannot exist in the public DNS and does not resolve (not in lists), and an `owner`, because it does not affect routing. */
  readonly warnings?: readonly FieldProblem[];
  /** When the subscription was created. */
  readonly createdAt: string;
  /** When the subscription was last changed. */
  readonly updatedAt: string;
};

export type SubscriptionSecret = {
  /** Signing secret (Standard Webhooks): `whsec_` and the base64 of its bytes. */
  readonly secret: string;
  /** Since when it signs requests. */
  readonly createdAt: string;
  /** Older secrets that still sign, newest first. The secrets themselves are not shown. */
  readonly older: readonly {
    /** Since when it signs requests. */
    readonly createdAt: string;
    /** Until when it signs in addition to newer ones. */
    readonly expiresAt: string;
  }[];
};

export type SubscriptionStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** One entry for each subscription that was asked for, in that order. One that is not here has none. */
  readonly subscriptions: readonly {
    /** Subscription of these figures. */
    readonly subscriptionId: string;
    /** Figures of the whole span. */
    readonly totals: {
      /** Messages that were published. Absent on subscriptions, which publish nothing. */
      readonly accepted?: number;
      /** Attempts that have delivered a message. */
      readonly delivered: number;
      /** Attempts that have failed. */
      readonly failedAttempts: number;
      /** Dead letters, of deliveries and of runs. */
      readonly deadLetters: number;
      /** Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too. */
      readonly givenUp?: number;
      /** Latency of the answers of subscribers, good by a fifth. Absent where there was no answer. */
      readonly latencyMs?: {
        /** Half of the answers took so many milliseconds at most. */
        readonly p50: number;
        /** 95 of 100 answers took so many milliseconds at most. */
        readonly p95: number;
      };
    };
    /** Deliveries that were created in the span, by their state now. The success rate is `delivered` ÷ (`delivered` + `failed`). Deliveries that retention has removed are not among them. */
    readonly deliveries: {
      /** Deliveries that were created. The four numbers below add up to it. */
      readonly created: number;
      /** Deliveries that have been delivered, at the first attempt or a later one. */
      readonly delivered: number;
      /** Deliveries that have failed, and have not been retried or replayed since. */
      readonly failed: number;
      /** Deliveries whose attempts have failed so far, and that will be attempted again. */
      readonly retrying: number;
      /** Deliveries that wait for their first attempt, or for the first one of a replay. */
      readonly pending: number;
      /** Whether all of the span were counted. If not, only the newest were. */
      readonly isExact: boolean;
      /** When the oldest counted delivery was created, if older ones of the span were left out. */
      readonly countedSince?: string;
    };
    /** Figures of each step, oldest first, those without traffic too. */
    readonly points: readonly {
      /** When the step began. */
      readonly at: string;
      /** Messages that were published. Absent on subscriptions, which publish nothing. */
      readonly accepted?: number;
      /** Attempts that have delivered a message. */
      readonly delivered: number;
      /** Attempts that have failed. */
      readonly failedAttempts: number;
      /** Dead letters, of deliveries and of runs. */
      readonly deadLetters: number;
      /** Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too. */
      readonly givenUp?: number;
      /** Latency of the answers of subscribers, good by a fifth. Absent where there was no answer. */
      readonly latencyMs?: {
        /** Half of the answers took so many milliseconds at most. */
        readonly p50: number;
        /** 95 of 100 answers took so many milliseconds at most. */
        readonly p95: number;
      };
    }[];
    /** Deliveries that wait for an attempt now, the first or a later one. */
    readonly waiting: {
      /** How many there are, 1,000 at most. */
      readonly count: number;
      /** Whether there are more than that. */
      readonly isMore: boolean;
    };
    /** When the first of at least five failed attempts in a row was recorded, if that is at least a minute ago and no attempt has been delivered since. A disabled subscription always has it. Absent while the receiver is not failing. */
    readonly failingSince?: string;
  }[];
};

export type SubscriptionStatsQuery = {
  /** Up to 100 ids of subscriptions, separated by commas. By default the newest 100. */
  readonly subscriptionIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type TestRun = {
  /** Answer of the trigger to the event. The steps are taken whatever it is. */
  readonly triggerMatch: {
    /** Whether the trigger takes such an event, once the workflow is active. `channelId`, `eventType` and `metadata` that are left out fit. */
    readonly wouldStart: boolean;
    /** Why, or why not. `trigger_type`: no message begins this workflow. */
    readonly reason: 'no_filter' | 'filter_matches' | 'trigger_type' | 'channel' | 'webhook' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** Wishes of the trigger, or the failure of its filter, for people. */
    readonly detail?: string;
  };
  /** How such a run would end. */
  readonly status: 'completed' | 'failed' | 'cancelled' | 'paused';
  /** Why it would fail, or wait for a person. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** The same for people. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId: string;
  };
  /** Why the trial was cut off. */
  readonly reason?: string;
  /** Filter that would end it as `completed`, because its expression is false: id of the step. */
  readonly filteredBy?: string;
  /** Output of the `end` step that would end it. */
  readonly output?: unknown;
  /** Steps that were taken, in the order in which they began. */
  readonly steps: readonly {
    /** Id of the step in the definition. */
    readonly id: string;
    /** Places of its items in the loops around it, from 0, joined by dots. Empty outside loops. */
    readonly iteration: string;
    /** Kind of the step. `item` is an item of a foreach, once it has ended. */
    readonly type: 'action' | 'condition' | 'switch' | 'filter' | 'transform' | 'delay' | 'wait_for_event' | 'approval' | 'foreach' | 'parallel' | 'workflow' | 'end' | 'item';
    /** How it ended. */
    readonly status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
    /** Values that were resolved for it. */
    readonly input?: unknown;
    /** Its result. */
    readonly output?: unknown;
    /** Why it failed. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
      readonly code: string;
      /** The same for people. */
      readonly message: string;
    };
    /** Present where nothing was sent: the result is of `mocks`, or one that was made up. */
    readonly mocked?: 'given' | 'invented';
  }[];
};

export type TestSubscription = {
  /** Event type of the test message. Default: `posthorn.test`. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. */
  readonly payload?: object | undefined;
};

export type TestWorkflow = {
  /** Message that the trial begins with. */
  readonly event?: {
    /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
    readonly payload?: object | undefined;
    /** One event type, `order.*` for all that begin with `order.`, or `*`. */
    readonly eventType?: string | undefined;
    /** Only of this channel. */
    readonly channelId?: string | undefined;
    /** Texts that go with the message, up to 50 and 16 KiB. */
    readonly metadata?: Readonly<Record<string, string>> | undefined;
  } | undefined;
  /** Results of steps with effects, by the ids of the steps. */
  readonly mocks?: Readonly<Record<string, {
    /** Result of the step: any JSON. */
    readonly output?: unknown;
    /** Failure of the step, after all of its tries. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404`. */
      readonly code: string;
      /** The same for people. Default: "mocked". */
      readonly message?: string | undefined;
    } | undefined;
  }>> | undefined;
};

export type TotpSecret = {
  /** Secret in base32, for typing in. Shown only once. */
  readonly secret: string;
  /** The secret as `otpauth://totp/…`, to be shown as a QR code. */
  readonly uri: string;
};

export type TracedMessage = {
  /** Prefix `msg_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent if it has been erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent if none was given, if it has been erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was or will be published. */
  readonly publishedAt: string;
  /** Same as publishedAt, for a message that is scheduled or was cancelled. */
  readonly deliverAt?: string;
  /** When it was cancelled. Absent if it was not. */
  readonly cancelledAt?: string;
  /** Why it was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Combined status of its deliveries: `pending` while any is unfinished. Before it is published: `scheduled` or `cancelled`. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
  /** Trace of the request that published it (W3C Trace Context). Absent if there was none. */
  readonly traceId?: string;
};

export type TransferOwnership = {
  /** User id of the member who becomes the owner. */
  readonly userId: string;
};

export type UpdateApiKey = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Tier. Its limits apply where `limits` sets none. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Scopes. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits that replace those of the tier. */
  readonly limits?: {
    /** Requests per 60 seconds. */
    readonly requestsPerMinute?: number | null | undefined;
    /** Requests per second. */
    readonly burst?: number | null | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | null | undefined;
    /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
    readonly batchPerMinute?: number | null | undefined;
  } | null | undefined;
  /** When it expires. */
  readonly expiresAt?: string | Date | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type UpdateApp = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Name in URLs and command lines: up to 63 of a-z, 0-9 and single hyphens, unique in the organisation. */
  readonly slug?: string | undefined;
  /** Free-text description. */
  readonly description?: string | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'suspended' | undefined;
  /** Defaults for resources created from now on. */
  readonly settings?: {
    /** Days after which a message is removed. */
    readonly retentionDays?: number | null | undefined;
    /** When a failed delivery is retried. Omitted fields keep their defaults. */
    readonly retryPolicy?: {
      /** Retries after the first attempt. */
      readonly maxRetries?: number | undefined;
      /** Milliseconds before the first retry. */
      readonly initialDelay?: number | undefined;
      /** Maximum delay between two attempts, in milliseconds. */
      readonly maxDelay?: number | undefined;
      /** Factor by which each delay is longer than the previous one. */
      readonly backoffMultiplier?: number | undefined;
    } | null | undefined;
    /** Maximum duration of an attempt, in milliseconds. */
    readonly timeoutMs?: number | null | undefined;
    /** Whether the circuit breaker is on. */
    readonly circuitBreaker?: boolean | null | undefined;
  } | null | undefined;
};

export type UpdateChannel = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Free-text description. */
  readonly description?: string | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** JSON Schema for every payload. */
  readonly schema?: object | null | undefined;
  /** JSON Schemas by event type. Each applies in addition to `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | null | undefined;
  /** Whether a payload that violates a schema is rejected, or published with a warning. */
  readonly schemaMode?: 'enforce' | 'warn' | undefined;
  /** Days after which a message is removed. */
  readonly retentionDays?: number | undefined;
};

export type UpdateConnection = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Credentials, as `credentials` of the connector describes them. No answer shows them again. */
  readonly credentials?: object | undefined;
  /** Whether the other environment of its app may see it and use it. Default false. */
  readonly shared?: boolean | undefined;
};

export type UpdateInspector = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Answer that senders get. */
  readonly answer?: {
    /** Status of each answer. Default 200. */
    readonly status?: number | undefined;
    /** Milliseconds before the answer. Default 0. */
    readonly delayMs?: number | undefined;
    /** So many of a hundred answers are 500 instead. Default 0. */
    readonly failurePercent?: number | undefined;
  } | undefined;
};

export type UpdateMachineCredential = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Tier. Its limits apply where `limits` sets none. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Scopes. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits that replace those of the tier. */
  readonly limits?: {
    /** Requests per 60 seconds. */
    readonly requestsPerMinute?: number | null | undefined;
    /** Requests per second. */
    readonly burst?: number | null | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | null | undefined;
    /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
    readonly batchPerMinute?: number | null | undefined;
  } | null | undefined;
  /** When it expires. */
  readonly expiresAt?: string | Date | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type UpdateMember = {
  /** Determines what the member may do. */
  readonly role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined;
};

export type UpdateOrganisation = {
  /** Display name. */
  readonly name?: string | undefined;
};

export type UpdateSecret = {
  /** The secret itself. No answer shows it again. */
  readonly value?: string | undefined;
};

export type UpdateSubscription = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Your own id for the customer it belongs to, to filter lists by. It does not affect routing. */
  readonly owner?: string | null | undefined;
  /** URL that messages are sent to: https, or http if the operator allows it. */
  readonly webhookUrl?: string | undefined;
  /** New status. */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** Event types or patterns such as `order.*`. An empty list means all. */
  readonly eventTypes?: readonly string[] | undefined;
  /** CEL expression over `payload`, `metadata` and `eventType` that selects messages. */
  readonly filter?: string | null | undefined;
  /** When a failed delivery is retried. Omitted fields keep their defaults. */
  readonly retryPolicy?: {
    /** Retries after the first attempt. */
    readonly maxRetries?: number | undefined;
    /** Milliseconds before the first retry. */
    readonly initialDelay?: number | undefined;
    /** Maximum delay between two attempts, in milliseconds. */
    readonly maxDelay?: number | undefined;
    /** Factor by which each delay is longer than the previous one. */
    readonly backoffMultiplier?: number | undefined;
  } | undefined;
  /** Headers sent with every request, up to 20. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. Default: a day. */
  readonly maxRetryAfter?: number | undefined;
  /** Maximum requests in flight. If not set, the limit adapts to the receiver. */
  readonly maxConcurrency?: number | null | undefined;
  /** Maximum attempts per second. If not set, there is no limit. */
  readonly rateLimit?: number | null | undefined;
  /** Whether the circuit breaker is on. */
  readonly circuitBreaker?: boolean | undefined;
};

export type UpdateView = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Filters by name, as the address of the page has them. */
  readonly search?: Readonly<Record<string, string>> | undefined;
};

export type UpdateWebhook = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'disabled' | undefined;
  /** Form of the signature, with the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text in front of the signature, such as `sha256=`. */
    readonly prefix?: string | undefined;
    /** Hash of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512' | undefined;
    /** Form of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64' | undefined;
    /** Header with the signed time. */
    readonly timestampHeader?: string | undefined;
    /** Form of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601' | undefined;
    /** Seconds by which the signed time may differ from ours. Default 300. */
    readonly toleranceSeconds?: number | undefined;
    /** Header that stands for `{id}` in the template. */
    readonly idHeader?: string | undefined;
    /** Signed text, of `{timestamp}`, `{id}`, `{url}`, `{body}`. Default `{body}`, with a time `{timestamp}.{body}`. */
    readonly template?: string | undefined;
  } | undefined;
  /** Where the event id is. Null: where the provider puts it. */
  readonly eventId?: {
    /** Header with the id. */
    readonly header?: string | undefined;
    /** JSON Pointer to the id in the body. */
    readonly pointer?: string | undefined;
  } | null | undefined;
  /** Where the event type comes from. Null: where the provider puts it. */
  readonly eventType?: {
    /** This type for every message. */
    readonly literal?: string | undefined;
    /** JSON Pointer to the type in the body. */
    readonly pointer?: string | undefined;
    /** Header with the type. */
    readonly header?: string | undefined;
    /** CEL expression that gives a text, over `payload`, `metadata`, `eventType`. */
    readonly cel?: string | undefined;
  } | null | undefined;
  /** Part of the body that becomes the payload. Null: the whole body. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string | undefined;
    /** Fields of the payload, each with a JSON Pointer to its value. One that leads nowhere is left out. */
    readonly fields?: Readonly<Record<string, string>> | undefined;
  } | null | undefined;
};

export type UpdateWorkflow = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Text for people. */
  readonly description?: string | null | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Replaces the whole trigger. */
  readonly trigger?: object | undefined;
  /** Replaces all steps. */
  readonly steps?: readonly unknown[] | undefined;
};

export type User = {
  /** Prefix `usr_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Email address to sign in with, in lower case. */
  readonly email: string;
  /** Display name. */
  readonly name: string;
};

export type ValidateMessages = {
  /** Your own id for the message: up to 128 visible ASCII characters. For 24 hours, publishing again with the same id, content and time returns the first message; other content is CONFLICT. The id of a cancelled message can be reused. */
  readonly id?: string | undefined;
  /** What happened, such as `order.created`. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. */
  readonly payload?: object | undefined;
  /** Strings that accompany the message: up to 50 entries and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When to publish the message: up to 365 days ahead. Up to five minutes ago means now; an older time is INVALID_REQUEST. Cannot be combined with `delay`. */
  readonly deliverAt?: string | Date | undefined;
  /** Milliseconds from now until the message is published. Cannot be combined with `deliverAt`. */
  readonly delay?: number | undefined;
  /** Channel of the path. May be omitted. */
  readonly channelId?: string | undefined;
  /** Messages, in order. */
  readonly messages?: readonly PublishMessage[] | undefined;
  /** JSON Schema for every payload. */
  readonly schema?: object | undefined;
  /** JSON Schemas by event type. Each applies in addition to `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | undefined;
};

export type ValidateWorkflow = {
  /** Workflow that is to be changed. Absent: a new one. */
  readonly id?: string | undefined;
  /** Name for people. A new workflow needs one. */
  readonly name?: string | undefined;
  /** Text for people. */
  readonly description?: string | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Trigger to check. */
  readonly trigger?: object | undefined;
  /** Steps to check. */
  readonly steps?: readonly unknown[] | undefined;
};

export type View = {
  /** Prefix `viw_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** List of the dashboard that it is of. */
  readonly page: 'messages' | 'deliveries' | 'dead-letters' | 'runs' | 'subscriptions' | 'channels' | 'workflows' | 'approvals' | 'replays' | 'delivery-retries' | 'message-replays' | 'inbound-webhooks' | 'inbound-requests' | 'connections' | 'secrets' | 'inspectors' | 'inspected-requests' | 'api-keys' | 'machine-credentials' | 'audit';
  /** Name that its person has given, the only one of its page. */
  readonly name: string;
  /** Filters, as the address of the page has them. */
  readonly search: Readonly<Record<string, string>>;
  /** When it was saved. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

export type Webhook = {
  /** Prefix `whk_` and 26 characters, of 128 random bits. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Channel that its messages are published to. */
  readonly channelId: string;
  /** Way in which requests prove who sent them. */
  readonly scheme: 'body' | 'standard' | 'svix' | 'github' | 'stripe' | 'slack' | 'shopify' | 'gitlab' | 'twilio' | 'mailgun' | 'hmac' | 'token' | 'ed25519' | 'ecdsa' | 'sns';
  /** Service that sends. Absent for a sender of your own. */
  readonly provider?: 'bitbucket' | 'buildkite' | 'calendly' | 'circleci' | 'clerk' | 'coinbase-commerce' | 'discord' | 'github' | 'gitlab-signed' | 'gitlab' | 'hubspot' | 'intercom' | 'jira' | 'launchdarkly' | 'lemon-squeezy' | 'linear' | 'mailgun' | 'openai' | 'paddle' | 'pagerduty' | 'razorpay' | 'resend' | 'sendgrid' | 'sentry' | 'shopify' | 'slack' | 'sns' | 'square' | 'stripe' | 'svix' | 'telegram' | 'twilio' | 'typeform' | 'vercel' | 'webflow' | 'woocommerce' | 'workos' | 'zendesk' | 'zoom';
  /** A disabled one refuses every request. */
  readonly status: 'active' | 'disabled';
  /** Form of the signature, with the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text in front of the signature, such as `sha256=`. */
    readonly prefix?: string;
    /** Hash of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512';
    /** Form of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64';
    /** Header with the signed time. */
    readonly timestampHeader?: string;
    /** Form of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601';
    /** Seconds by which the signed time may differ from ours. Default 300. */
    readonly toleranceSeconds?: number;
    /** Header that stands for `{id}` in the template. */
    readonly idHeader?: string;
    /** Signed text, of `{timestamp}`, `{id}`, `{url}`, `{body}`. Default `{body}`, with a time `{timestamp}.{body}`. */
    readonly template?: string;
  };
  /** Place of the id of an event. Absent: where the provider puts it. */
  readonly eventId?: {
    /** Header with the id. */
    readonly header?: string;
    /** JSON Pointer to the id in the body. */
    readonly pointer?: string;
  };
  /** Source of the event type. Absent: where the provider puts it. */
  readonly eventType?: {
    /** This type for every message. */
    readonly literal?: string;
    /** JSON Pointer to the type in the body. */
    readonly pointer?: string;
    /** Header with the type. */
    readonly header?: string;
    /** CEL expression that gives a text, over `payload`, `metadata`, `eventType`. */
    readonly cel?: string;
  };
  /** Part of the body that becomes the payload. Absent: all of it. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string;
    /** Fields of the payload, each with a JSON Pointer to its value. One that leads nowhere is left out. */
    readonly fields?: Readonly<Record<string, string>>;
  };
  /** Address to give to the service. */
  readonly url: string;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

export type WebhookSample = {
  /** Whether this service can sign in the name of the sender. */
  readonly isSignable: boolean;
  /** Why it cannot. */
  readonly reason?: string;
  /** Its body; with the scheme `body`, its `payload`. Ids in it are new. */
  readonly body?: string;
  /** Headers beside its signature. */
  readonly headers?: Readonly<Record<string, string>>;
};

export type WebhookSecrets = {
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. None before the first one is set. */
  readonly secrets: readonly {
    /** The secret, or the public key of a service that signs by its own. */
    readonly secret: string;
    /** When it was set. */
    readonly createdAt: string;
    /** When it ends, since a newer one was set. */
    readonly expiresAt?: string;
  }[];
};

export type WebhookStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** One entry for each webhook that was asked for, in that order. One that is not here has none. */
  readonly webhooks: readonly {
    /** Inbound webhook of these figures. */
    readonly webhookId: string;
    /** Requests that became messages in the whole span. */
    readonly received: number;
    /** Requests whose event was a message already, up to 100 in a minute. */
    readonly repeated: number;
    /** Requests that were refused, up to 100 in a minute. */
    readonly refused: number;
  }[];
};

export type WebhookStatsQuery = {
  /** Up to 100 ids of inbound webhooks, separated by commas. By default the newest 100. */
  readonly webhookIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type Workflow = {
  /** Prefix `wfl_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Purpose, for people. */
  readonly description?: string;
  /** Runs begin while it is active. A draft was never active. */
  readonly status: 'active' | 'paused' | 'draft';
  /** Beginning of a run, as its author wrote it. Absent in a draft that has none yet. */
  readonly trigger?: Readonly<Record<string, unknown>>;
  /** Work of a run, as its author wrote it. Absent in a draft that has none yet. */
  readonly steps?: readonly unknown[];
  /** Type of its trigger, in a list with `definitions=false`. Absent in others, and where there is none. */
  readonly triggerType?: string;
  /** Number of its steps, in a list with `definitions=false`. Absent in others. */
  readonly stepCount?: number;
  /** When it was made. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

export type WorkflowSecret = {
  /** Prefix `sec_` and 26 characters that sort by the time of making. */
  readonly id: string;
  /** Name by which definitions of workflows mean it: `{{ secrets.NAME }}`. */
  readonly name: string;
  /** When it was made. */
  readonly createdAt: string;
  /** When its value was last set. */
  readonly updatedAt: string;
  /** When a step last sent it, to the minute. Absent before. */
  readonly lastUsedAt?: string;
};

export type WorkflowStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** One entry for each workflow that was asked for, in that order. One that is not here has none. */
  readonly workflows: readonly {
    /** Workflow of these figures. */
    readonly workflowId: string;
    /** Figures of its runs in the whole span. */
    readonly totals: {
      /** Runs whose first step could begin. A retry from the start counts once more. */
      readonly started: number;
      /** Runs that have completed, those that a filter has ended too. Each counts once. */
      readonly completed: number;
      /** Failures of runs. One that fails again after a retry counts again. */
      readonly failed: number;
      /** Runs that were cancelled. */
      readonly cancelled: number;
      /** Runs that their trigger has let do nothing. */
      readonly skipped: number;
    };
    /** Run that was made last, in the span or before. Absent where there is none. */
    readonly lastRun?: {
      /** Prefix `run_` and 26 characters that sort by the time of making. */
      readonly id: string;
      /** How far it has come. */
      readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
      /** When it was made. */
      readonly createdAt: string;
      /** When it ended. Absent before. */
      readonly finishedAt?: string;
      /** Filter that ended it: id of the step. */
      readonly filteredBy?: string;
    };
    /** Completed runs of each step, oldest first, those without one too. */
    readonly completed: readonly number[];
    /** Failures of runs in each step. */
    readonly failed: readonly number[];
  }[];
};

export type WorkflowStatsQuery = {
  /** Up to 100 ids of workflows, separated by commas. By default the newest 100. */
  readonly workflowIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type WorkflowVersions = {
  /** Up to 50 versions, the newest first. */
  readonly versions: readonly {
    /** Number of the version. Runs name it as their `definitionVersion`. */
    readonly version: number;
    /** Type of its trigger. Absent where there is none. */
    readonly triggerType?: string;
    /** Number of its steps. */
    readonly stepCount: number;
    /** API key, machine credential or person who has made it. Absent in one from before that was noted. */
    readonly madeBy?: string;
    /** Beginning of a run, as its author wrote it. Only where `version` asks for it. */
    readonly trigger?: Readonly<Record<string, unknown>>;
    /** Work of a run, as its author wrote it. Only where `version` asks for it. */
    readonly steps?: readonly unknown[];
    /** When it was made. */
    readonly createdAt: string;
  }[];
  /** Whether there are older ones: `beforeVersion` asks for them. */
  readonly hasMore: boolean;
};
