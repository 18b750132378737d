import { type ReactNode, useState } from 'react';
import { api, type Webhook } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import {
  MAPPED,
  type MappedPart,
  type WebhookFields,
  webhookChangeOf,
  webhookFields,
} from '../../lib/webhook-fields.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { NewerNote } from '../../parts/newer-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { useEdits } from '../../parts/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select.tsx';

const PARTS = ['eventId', 'eventType', 'payload'] as const;
const PART_NAMES: Readonly<Record<MappedPart, string>> = {
  eventId: 'Event ID',
  eventType: 'Event type',
  payload: 'Payload',
};
type Way = 'header' | 'pointer' | 'cel' | 'literal' | 'fields';
const WAYS: Readonly<Record<Way, { name: string; hint: string }>> = {
  header: { name: 'Header', hint: 'Its name, for example X-Event-Id' },
  pointer: { name: 'JSON Pointer', hint: 'Its place in the body, for example /data/id' },
  cel: { name: 'CEL expression', hint: 'For example payload.kind, or a text in quotes' },
  literal: { name: 'Fixed value', hint: 'For example order.created' },
  fields: {
    name: 'Selected fields',
    hint: 'JSON, for example {"total": "/data/amount"}. A pointer that leads nowhere is left out.',
  },
};
const UNITS = [
  ['seconds', 'Unix seconds'],
  ['milliseconds', 'Unix milliseconds'],
  ['iso8601', 'ISO 8601'],
] as const;

const NAMES: Readonly<Record<keyof WebhookFields, string>> = {
  name: 'Name',
  header: 'Signature header',
  prefix: 'Signature prefix',
  algorithm: 'Algorithm',
  encoding: 'Encoding',
  timestampHeader: 'Timestamp header',
  timestampUnit: 'Timestamp format',
  toleranceSeconds: 'Clock tolerance',
  idHeader: 'ID header',
  template: 'Signed content',
  eventId: PART_NAMES.eventId,
  eventIdWay: PART_NAMES.eventId,
  eventType: PART_NAMES.eventType,
  eventTypeWay: PART_NAMES.eventType,
  payload: PART_NAMES.payload,
  payloadWay: PART_NAMES.payload,
};

/** Returns why a text is not valid JSON, or undefined if it is. */
function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'Not valid JSON';
  }
}

/**
 * The editable settings of a webhook: its name, how its sender signs, and which parts of a request become the message.
 */
export function WebhookSettings({ of: row }: { of: Webhook }) {
  const { at } = useHere();
  const refresh = useRefresh();
  const edits = useEdits(webhookFields(row), `webhook ${row.id}`);
  const { values, written } = edits;
  const [error, setError] = useState<unknown>();
  const badFields = values.payloadWay === 'fields' ? jsonProblem(values.payload) : undefined;
  const isChanged = Object.keys(written).length > 0;
  const text = (name: keyof WebhookFields, problem?: string) => ({
    label: NAMES[name],
    value: values[name],
    onChange: (value: string) => edits.write({ [name]: value }),
    error: problem,
  });
  const signed = (name: keyof NonNullable<Webhook['signature']>) => text(name, problemOf(error, `signature.${name}`));
  const chosen = (
    name: 'algorithm' | 'encoding' | 'timestampUnit',
    usual: string,
    all: readonly (readonly [string, string])[],
  ) => (
    <SelectField
      {...signed(name)}
      options={[{ value: '', label: `Default (${usual})` }, ...all.map(([value, label]) => ({ value, label }))]}
    />
  );
  const save = (): void => {
    setError(undefined);
    if (badFields !== undefined) return;
    edits.save({
      read: async () => webhookFields(await api.webhooks.get(row.id, at)),
      send: async () => webhookFields(await api.webhooks.update(row.id, webhookChangeOf(values, written), at)),
      refresh,
      onFailure: setError,
    });
  };
  const request = useRequestToggle(save);
  const isAtField = ['name', 'signature', ...PARTS].some((field) => problemOf(error, field) !== undefined);
  return (
    <form
      className="flex max-w-140 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextField {...text('name', problemOf(error, 'name'))} isRequired />
      {row.signature !== undefined && (
        <Group title="Signature">
          <TextField {...signed('header')} isMono isRequired placeholder="X-Signature" />
          {row.scheme === 'hmac' && (
            <>
              <TextField {...signed('prefix')} isMono placeholder="None" />
              {chosen('algorithm', 'SHA-256', [
                ['sha1', 'SHA-1'],
                ['sha256', 'SHA-256'],
                ['sha512', 'SHA-512'],
              ])}
              {chosen('encoding', 'hex', [
                ['hex', 'Hex'],
                ['base64', 'Base64'],
              ])}
              <TextField {...signed('timestampHeader')} isMono placeholder="None" />
              {chosen('timestampUnit', 'Unix seconds', UNITS)}
              <TextField
                {...signed('toleranceSeconds')}
                type="number"
                inputMode="numeric"
                placeholder="300"
                after="seconds"
              />
              <TextField {...signed('idHeader')} isMono placeholder="None" />
              <div className="md:col-span-2">
                <TextField
                  {...signed('template')}
                  isMono
                  placeholder="{timestamp}.{body}"
                  hint="Placeholders: {timestamp}, {id}, {url} and {body}"
                />
              </div>
            </>
          )}
        </Group>
      )}
      {PARTS.map((part) => {
        const way = values[`${part}Way`] as Way | 'default';
        const isFields = way === 'fields';
        const given = {
          ...text(part, (isFields ? badFields : undefined) ?? problemOf(error, part)),
          label: way === 'default' ? '' : WAYS[way].name,
          hint: way === 'default' ? '' : WAYS[way].hint,
          isMono: true,
          isRequired: true,
        };
        return (
          <Group key={part} title={PART_NAMES[part]}>
            <SelectField
              label="From"
              value={way}
              onChange={(next) => edits.write({ [`${part}Way`]: next, [part]: next === 'fields' ? '{}' : '' })}
              options={[
                { value: 'default', label: part === 'payload' ? 'Whole body' : "Provider's default" },
                ...MAPPED[part].map((each) => ({ value: each, label: WAYS[each].name })),
              ]}
            />
            {way !== 'default' &&
              (isFields ? (
                <div className="md:col-span-2">
                  <TextArea {...given} rows={5} />
                </div>
              ) : (
                <TextField {...given} />
              ))}
          </Group>
        );
      })}
      <p className="text-12 text-text-3">Provider and channel can't change. Create another inbound webhook instead.</p>
      {!isAtField && <FailureNote error={error} />}
      {request.lines}
      <div className="sticky bottom-0 -mx-2 flex flex-wrap justify-end gap-2 border-t border-line bg-surface px-2 py-3">
        <NewerNote edits={edits} at={row.updatedAt} names={NAMES} />
        {isChanged && request.button}
        {isChanged && <Button onClick={edits.drop}>Discard changes</Button>}
        <Button
          look="primary"
          type="submit"
          isDisabled={!isChanged || badFields !== undefined}
          why={isChanged ? 'Fix the JSON first' : 'Nothing has changed'}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

/** Related fields, two in a row. */
function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0 border-t border-line pt-4">
      <legend className="float-left mb-3 w-full font-bold">{title}</legend>
      <div className="clear-both grid items-start gap-4 md:grid-cols-2">{children}</div>
    </fieldset>
  );
}
