import { useState } from 'react';
import { api, type Webhook } from '../api/client.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { MAPPED, type MappedPart, type WebhookFields, webhookChangeOf, webhookFields } from '../lib/webhook-fields.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { NewerState } from '../parts/newer-state.tsx';
import { useEdits } from '../parts/use-edits.ts';

/** Changes what may change of a webhook: its name, how its sender signs, and what of a request becomes the message. */
export function WebhookSettingsDialog({ of: row, onClose }: { of: Webhook; onClose: () => void }) {
  const t = useTexts();
  const { at } = useHere();
  const refresh = useRefresh();
  const edits = useEdits(webhookFields(row));
  const { values, written } = edits;
  const [error, setError] = useState<unknown>();
  const badFields = values.payloadWay === 'fields' ? jsonProblem(values.payload, t) : undefined;
  const text = (name: keyof WebhookFields, problem?: string) => ({
    value: values[name],
    onChange: (value: string) => edits.write({ [name]: value }),
    problem,
  });
  const signed = (name: keyof NonNullable<Webhook['signature']>) => text(name, problemOf(error, `signature.${name}`));
  const save = (): void => {
    setError(undefined);
    if (badFields !== undefined) return;
    edits.save({
      read: async () => webhookFields(await api.webhooks.get(row.id, at)),
      send: async () => {
        // A form that is saved as it is changes nothing: the service wants one field at least, and gets the same name.
        const change = Object.keys(written).length === 0 ? { name: row.name } : webhookChangeOf(values, written);
        const changed = await api.webhooks.update(row.id, change, at);
        onClose();
        return webhookFields(changed);
      },
      refresh,
      onFailure: setError,
    });
  };
  const mapped = (part: MappedPart) => {
    const way = values[`${part}Way`];
    const isFields = way === 'fields';
    return (
      <fieldset className="stack" key={part}>
        <legend>{t.inbound.parts[part]}</legend>
        <ChoiceField
          label={t.inbound.way}
          value={way}
          onChange={(next) => edits.write({ [`${part}Way`]: next, [part]: next === 'fields' ? '{}' : '' })}
          options={[
            ['default', t.inbound.ways.default[part]],
            ...MAPPED[part].map((each) => [each, t.inbound.ways[each]] as const),
          ]}
        />
        {way !== 'default' && (
          <TextField
            label={t.inbound.ways[way as keyof typeof t.inbound.ways.hints]}
            {...text(part, (isFields ? badFields : undefined) ?? problemOf(error, part))}
            isCode
            isRequired
            hint={t.inbound.ways.hints[way as keyof typeof t.inbound.ways.hints]}
            {...(isFields && { lines: 5 })}
          />
        )}
      </fieldset>
    );
  };
  const hashes = ['sha1', 'sha256', 'sha512'] as const;
  return (
    <Dialog title={t.inbound.changeTitle(row.name)} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField label={t.common.name} {...text('name', problemOf(error, 'name'))} isRequired hasFocus />
        {row.signature !== undefined && (
          <TextField label={t.inbound.header} {...signed('header')} isCode isRequired placeholder="X-Signature" />
        )}
        {row.signature !== undefined && row.scheme === 'hmac' && (
          <>
            <TextField label={t.inbound.prefix} {...signed('prefix')} isCode placeholder="sha256=" />
            <ChoiceField
              label={t.inbound.algorithm}
              {...signed('algorithm')}
              options={[['', t.inbound.byDefault('sha256')], ...hashes.map((each) => [each, each] as const)]}
            />
            <ChoiceField
              label={t.inbound.encoding}
              {...signed('encoding')}
              options={[
                ['', t.inbound.byDefault('hex')],
                ...(['hex', 'base64'] as const).map((each) => [each, each] as const),
              ]}
            />
            <TextField label={t.inbound.timestampHeader} {...signed('timestampHeader')} isCode />
            <ChoiceField
              label={t.inbound.timestampUnit}
              {...signed('timestampUnit')}
              options={[
                ['', t.inbound.byDefault(t.inbound.units.seconds)],
                ...(['seconds', 'milliseconds', 'iso8601'] as const).map(
                  (each) => [each, t.inbound.units[each]] as const,
                ),
              ]}
            />
            <TextField label={t.inbound.tolerance} {...signed('toleranceSeconds')} type="number" placeholder="300" />
            <TextField label={t.inbound.idHeader} {...signed('idHeader')} isCode />
            <TextField label={t.inbound.template} {...signed('template')} isCode placeholder="{timestamp}.{body}" />
          </>
        )}
        {(['eventId', 'eventType', 'payload'] as const).map(mapped)}
        <p className="muted">{t.inbound.fixed}</p>
        <NewerState edits={edits} at={row.updatedAt} names={namesOf(t)} />
        <Failure error={error} />
        <FormButtons go={t.common.save} onCancel={onClose} isDisabled={badFields !== undefined} />
      </form>
    </Dialog>
  );
}

function namesOf(t: ReturnType<typeof useTexts>): Record<keyof WebhookFields, string> {
  const { eventId, eventType, payload } = t.inbound.parts;
  return {
    name: t.common.name,
    header: t.inbound.header,
    prefix: t.inbound.prefix,
    algorithm: t.inbound.algorithm,
    encoding: t.inbound.encoding,
    timestampHeader: t.inbound.timestampHeader,
    timestampUnit: t.inbound.timestampUnit,
    toleranceSeconds: t.inbound.tolerance,
    idHeader: t.inbound.idHeader,
    template: t.inbound.template,
    eventId,
    eventIdWay: eventId,
    eventType,
    eventTypeWay: eventType,
    payload,
    payloadWay: payload,
  };
}
