/** A request that the document shows. Ids in it are those of `exampleId`. */
type Example = {
  /** Absent: the request has no body. */
  body?: unknown;
  query?: Readonly<Record<string, string>>;
  /**
   * Status of its answer where that is not the route's own: what it shows belongs to a moment, such as the signature of a passkey, and
   * is refused afterwards.
   */
  status?: number;
};

/** Words of one operation, and its example. */
export type OperationText = {
  /** A few words, without a full stop. */
  summary: string;
  /** Sentences, in Markdown. */
  description: string;
  example?: Example;
};
