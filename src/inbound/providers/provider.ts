import { createHash } from 'node:crypto';
import { scalarAt } from '../schemes/pointer.ts';
import type { SignatureCheck, Content, Incoming, SchemeName, WayOfSigning } from '../schemes/scheme.ts';

/** An answer that a service asks for before it sends anything; exactly these fields are sent. */
type HandshakeAnswer = {
  received?: boolean;
  challenge?: string;
  plainToken?: string;
  encryptedToken?: string;
  type?: number;
};

/** A proven request that asks whether somebody is there. `visit` is an address that has to be asked for first. */
type Handshake = { answer: HandshakeAnswer; visit?: string };

/** Reads a text out of a request; undefined where it is not there. */
export type Read = (incoming: Incoming) => string | undefined;

/** Values that no two samples have in common, and the time. */
export type SampleValues = { id: string; number: number; now: Date };

/** An event of a service without its signature: a JSON body or the fields of a form, and headers beside it. */
export type ProviderSample = { headers?: Readonly<Record<string, string>> } & (
  | { body: object; form?: never }
  | { form: Readonly<Record<string, string>>; body?: never }
);

/** An external service whose requests are known. `sign` and `sample` are absent where the service signs by a key of its own. */
export type Provider = Partial<Pick<WayOfSigning, 'sign' | 'canSign'>> & {
  /** As callers name it: `github`. */
  name: string;
  /** As people name it. */
  title: string;
  scheme: SchemeName;
  check: SignatureCheck;
  /** Why a text is no secret of this service; undefined when it is one. */
  secretProblem?: (secret: string) => string | undefined;
  /** The service lets its user choose the secret: one is made where none is given. */
  makesSecret?: true;
  /** Id that a request which is sent again has again. Absent: the service has none. */
  eventId?: Read;
  /** Event type of the message. Without one it is `webhook.received`. */
  eventType?: Read;
  /** Asked of proven requests only. */
  handshake?: (incoming: Incoming, secrets: readonly string[]) => Handshake | undefined;
  /** The part of a request that mappings see. Default: all of its content. */
  content?: (incoming: Incoming) => Content;
  /** Place of the payload in it, where it is there. */
  payload?: string;
  /** Field of a form that holds the whole content as JSON. */
  jsonField?: string;
  /** An event as the service sends it. `id` or `number` stands where the service puts the id of an event. */
  sample?: (values: SampleValues) => ProviderSample;
  /** The service insists on this code for a bad signature. */
  refusesWith?: 'UNAUTHORIZED';
};

/** The only value of a header. */
export const header =
  (name: string): Read =>
  (incoming) => {
    const values = incoming.header(name);
    return values.length === 1 && values[0] !== '' ? values[0] : undefined;
  };

/** A text or a number in the content, by its JSON Pointer. */
export const at =
  (pointer: string): Read =>
  (incoming) =>
    scalarAt(incoming.content().text, pointer);

/** The first of these that is there. */
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
 * An id that several different requests of the service may have, beside the SHA-256 of the part that a repeated request has again:
 * different requests have different ids then. Undefined without the id.
 */
export const withContent =
  (id: Read, repeated: (incoming: Incoming) => string | Buffer): Read =>
  (incoming) => {
    const found = id(incoming);
    if (found === undefined || found === '') return undefined;
    return `${found}:${createHash('sha256').update(repeated(incoming)).digest('hex')}`;
  };

/** The body, as it came. */
export const bodyBytes = ({ bytes }: Incoming): Buffer => bytes;
