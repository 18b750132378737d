/** A publisher's line. Requests with one mark are tries of the same publication, under one Idempotency-Key. */
export type ClientEntry =
  | {
      kind: 'sent';
      /** ms since the epoch, as in every log. */
      at: number;
      request: string;
      /** Stands in the payload of each message. */
      mark: string;
      /** Channel of each message, in their order. */
      channels: string[];
      /** Credential, where its limits are to be checked. */
      caller?: string;
    }
  | { kind: 'acked'; at: number; request: string; ids: string[] }
  /** An answer that says that nothing was stored. */
  | { kind: 'refused'; at: number; request: string; status: number; code: string }
  /** The connection broke, or the answer says that nobody knows. */
  | { kind: 'unknown'; at: number; request: string; status: number };

/** A receiver's line, written when a whole request has come and before it is answered. */
export type SinkEntry = {
  at: number;
  subscription: string;
  /** The header webhook-id. */
  message: string;
  /** SHA-256 of the body. */
  hash: string;
  isSigned: boolean;
  /** Status of the answer; 0 where none is given, or none that is whole. */
  status: number;
  /** Part of the URL, for a subscription that moves. */
  place: string;
};

/** A time in which something was broken, until everything worked again. */
export type FaultEntry = {
  name: string;
  from: number;
  until: number;
  /** Requests under way may have lost their record: those of one life of each worker. 0 for a fault that ends none. */
  lives: number;
  /** The way to this subscription's receiver alone: its answers may be lost, and then the policy tries again. */
  subscription?: string;
  /**
   * Effect on the counts of limits. `lost`: Redis has begun anew without them. `away`: it could not be asked. `forgotten`: an API has
   * begun anew without those that it counts meanwhile.
   */
  counts?: 'lost' | 'away' | 'forgotten';
};

export type MessageRow = { id: string; channelId: string; mark: string | null };

/** Who has an unfinished delivery, and what it waits for: a breach that names them can be looked into. */
export type Place = {
  round: number;
  /** Workers that died with a claim on it. */
  takeovers: number;
  /** `leaseEndsAt`: null where no worker of this id is known any more. */
  holder: { id: string; pid: number | null; leaseEndsAt: number | null } | null;
  /** Id of a Temporal workflow. */
  carrier: string | null;
  held: { reason: string; since: number } | null;
  circuitOpenedAt: number | null;
};

type DeliveryRow = {
  id: string;
  messageId: string;
  subscriptionId: string;
  status: string;
  /** Null once it has ended. */
  dueAt: number | null;
  /** Absent once it has ended. */
  place?: Place;
  /** In the order of their numbers. `isAnswered`: the status of an answer is on record. */
  attempts: { number: number; isAnswered: boolean; isFailed: boolean }[];
  openLetters: number;
};

/** The database and Temporal after everything has ended. */
export type Records = {
  at: number;
  /** In the order of their transactions. */
  messages: MessageRow[];
  deliveries: DeliveryRow[];
  /** Ids of the Temporal workflows that run. */
  workflows: string[];
};

export type Watched = {
  id: string;
  channelId: string;
  maxRetries: number;
  /** Made under load: between the two times nobody can say whether a message has a delivery to it. */
  made?: { askedAt: number; doneAt: number };
  /** Its deliveries may wait. */
  isPaused?: boolean;
  /** Between the two times nobody can say whether a message still has a delivery. */
  deleted?: { askedAt: number; doneAt: number };
};

/** From then until then this subscription gets nothing (at this place), but for requests that were under way. */
export type Silence = {
  subscription: string;
  place?: string;
  from: number;
  until: number;
  underWay: number;
  why: string;
};

/** Acknowledged requests of a caller in a window that begins with the first one. */
export type Limit = { caller: string; requests: number; windowMs: number; replicas: number };

/** RSS in bytes, by process. */
export type Resources = {
  rss: Record<string, number>;
  connections: number;
  /** Running ones of deliveries. */
  workflows: number;
  /** Sessions that hold a transaction and do nothing. */
  stuckTransactions: number;
};

export type Evidence = {
  client: ClientEntry[];
  sink: SinkEntry[];
  faults: FaultEntry[];
  records: Records;
  subscriptions: Watched[];
  /** Ids as a stream has shown them, from its beginning to the end. */
  streams: { name: string; channelId: string; ids: string[] }[];
  silences: Silence[];
  limits: Limit[];
  /** Requests in flight at most, over all subscriptions. */
  concurrency: number;
  resources?: { before: Resources; after: Resources };
};

/** A broken invariant, I1 to I11 of docs/explanation/reliability.md, or F11 for a subscription that was to be silent. */
export type Breach = { invariant: string; text: string };
