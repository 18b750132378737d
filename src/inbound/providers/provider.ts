import { createHash } from 'node:crypto';
import { scalarAt } from '../schemes/pointer.ts';
import type { SignatureCheck, Content, Incoming, SchemeName, WayOfSigning } from '../schemes/scheme.ts';

/** The response a service requires before it sends events; exactly these fields are sent. */
type HandshakeAnswer = {
  received?: boolean;
  challenge?: string;
  plainToken?: string;
  encryptedToken?: string;
  type?: number;
};

/** A verified request that checks whether the endpoint exists. `visit` is an address to request before responding. */
type Handshake = { answer: HandshakeAnswer; visit?: string };

/** Reads a text from a request; returns undefined if it is not there. */
export type Read = (incoming: Incoming) => string | undefined;

/** Values that are unique to each sample, and the time. */
export type SampleValues = { id: string; number: number; now: Date };

/** An event of a service without its signature: a JSON body or form fields, and additional headers. */
export type ProviderSample = { headers?: Readonly<Record<string, string>> } & (
  | { body: object; form?: never }
  | { form: Readonly<Record<string, string>>; body?: never }
);

/** A known external service. `sign` and `sample` are absent if the service signs with its own private key. */
export type Provider = Partial<Pick<WayOfSigning, 'sign' | 'canSign'>> & {
  /** Name in the API, such as `github`. */
  name: string;
  /** Display name. */
  title: string;
  scheme: SchemeName;
  check: SignatureCheck;
  /** Returns why a text cannot be a secret of this service; undefined if it can. */
  secretProblem?: (secret: string) => string | undefined;
  /** The service lets users choose the secret, so one is generated if none is given. */
  makesSecret?: true;
  /** Reads the id that stays the same when a request is repeated. Absent: the service has none. */
  eventId?: Read;
  /** Reads the event type. Absent: `webhook.received`. */
  eventType?: Read;
  /** Only called for verified requests. */
  handshake?: (incoming: Incoming, secrets: readonly string[]) => Handshake | undefined;
  /** Returns the part of a request that mappings see. Default: all of its content. */
  content?: (incoming: Incoming) => Content;
  /** JSON Pointer to the payload in the content, if it is there. */
  payload?: string;
  /** Form field that has the whole content as JSON. */
  jsonField?: string;
  /** Creates an event as the service sends it. `id` or `number` is used where the service puts its event id. */
  sample?: (values: SampleValues) => ProviderSample;
  /** The code that the service requires for an invalid signature. */
  refusesWith?: 'UNAUTHORIZED';
};

/** Reads a header that occurs once and is not empty. */
export const header =
  (name: string): Read =>
  (incoming) => {
    const values = incoming.header(name);
    return values.length === 1 && values[0] !== '' ? values[0] : undefined;
  };

/** Reads a scalar value from the content by its JSON Pointer, as text. */
export const at =
  (pointer: string): Read =>
  (incoming) =>
    scalarAt(incoming.content().text, pointer);

/** Returns the first value found. */
export const first =
  (...reads: readonly Read[]): Read =>
  (incoming) => {
    for (const read of reads) {
      const found = read(incoming);
      if (found !== undefined && found !== '') return found;
    }
    return undefined;
  };

/**
 * Extends an id that several different requests of the service can share with the SHA-256 of the part that stays the
 * same when a request is repeated, so that different requests have different ids. Undefined if there is no id.
 */
export const withContent =
  (id: Read, repeated: (incoming: Incoming) => string | Buffer): Read =>
  (incoming) => {
    const found = id(incoming);
    if (found === undefined || found === '') return undefined;
    return `${found}:${createHash('sha256').update(repeated(incoming)).digest('hex')}`;
  };

/** The body, as received. */
export const bodyBytes = ({ bytes }: Incoming): Buffer => bytes;
