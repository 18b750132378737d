import type { UpdateWebhook, Webhook } from '../../../client/src/index.ts';

/** Where a part of a message comes from. `default`: where the sender has it. */
const EVENT_ID_WAYS = ['header', 'pointer'] as const;
const EVENT_TYPE_WAYS = ['cel', 'literal', 'header', 'pointer'] as const;
const PAYLOAD_WAYS = ['pointer', 'fields'] as const;

/** Mapped parts of a webhook, each with the sources that it may have. */
export const MAPPED = { eventId: EVENT_ID_WAYS, eventType: EVENT_TYPE_WAYS, payload: PAYLOAD_WAYS } as const;
export type MappedPart = keyof typeof MAPPED;

/** The fields of a webhook form. All are texts, so that edits can be compared. */
export type WebhookFields = ReturnType<typeof webhookFields>;

export function webhookFields(webhook: Webhook) {
  const { name, signature, eventId, eventType, payload } = webhook;
  return {
    name,
    header: signature?.header ?? '',
    prefix: signature?.prefix ?? '',
    algorithm: signature?.algorithm ?? '',
    encoding: signature?.encoding ?? '',
    timestampHeader: signature?.timestampHeader ?? '',
    timestampUnit: signature?.timestampUnit ?? '',
    toleranceSeconds: signature?.toleranceSeconds === undefined ? '' : String(signature.toleranceSeconds),
    idHeader: signature?.idHeader ?? '',
    template: signature?.template ?? '',
    ...partOf('eventId', eventId),
    ...partOf('eventType', eventType),
    ...partOf('payload', payload),
  };
}

function partOf<P extends MappedPart>(part: P, given: Readonly<Record<string, unknown>> | undefined) {
  const [way, value] = Object.entries<unknown>(given ?? {})[0] ?? ['default', ''];
  // `as`: the names are those of the part.
  return { [`${part}Way`]: way, [part]: typeof value === 'string' ? value : JSON.stringify(value, null, 2) } as Record<
    P | `${P}Way`,
    string
  >;
}

const SIGNATURE = [
  'header',
  'prefix',
  'algorithm',
  'encoding',
  'timestampHeader',
  'timestampUnit',
  'toleranceSeconds',
  'idHeader',
  'template',
] as const;

/** Returns the update of a webhook with the edited fields. Throws if payload fields are not valid JSON. */
export function webhookChangeOf(values: WebhookFields, written: Partial<WebhookFields>): UpdateWebhook {
  const isWritten = (names: readonly (keyof WebhookFields)[]): boolean => names.some((name) => name in written);
  const signature = Object.fromEntries(
    SIGNATURE.filter((name) => values[name].trim() !== '').map((name) => [
      name,
      name === 'toleranceSeconds' ? Number(values[name]) : values[name].trim(),
    ]),
  );
  const part = (name: MappedPart): object | null => {
    const way = values[`${name}Way`];
    if (way === 'default') return null;
    const value: unknown = way === 'fields' ? JSON.parse(values[name]) : values[name].trim();
    return { [way]: value };
  };
  const parts = (Object.keys(MAPPED) as MappedPart[]).filter((name) => isWritten([name, `${name}Way`]));
  return {
    ...(isWritten(['name']) && { name: values.name }),
    // `as`: the service says which value is wrong.
    ...((isWritten(SIGNATURE) ? { signature } : {}) as Pick<UpdateWebhook, 'signature'>),
    ...Object.fromEntries(parts.map((name) => [name, part(name)])),
  };
}
