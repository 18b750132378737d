import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Webhook, type WebhookSecrets } from '../api/client.ts';
import { usePathId } from '../lib/path-id.ts';
import { PROVIDER_STEPS } from '../lib/provider-steps.ts';
import { senderOf } from '../lib/providers.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { AskButton } from '../parts/ask-button.tsx';
import { Code } from '../parts/code.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink } from '../parts/link.tsx';
import { SecretBox } from '../parts/secret-box.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { InboundRequests } from './inbound-requests.tsx';
import { NoSample, SampleButton, SampleDialog } from './inbound-sample.tsx';
import { WebhookSettingsDialog } from './inbound-settings.tsx';

export function InboundWebhookPage() {
  return <InboundWebhookView id={usePathId()} />;
}

/** One address: what to enter at the service, and what became of its requests. */
export function InboundWebhookView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const [isSampling, setIsSampling] = useState(false);
  const [isChanging, setIsChanging] = useState(false);
  const found = useQuery({ queryKey: [path, 'webhook', id], queryFn: () => api.webhooks.get(id, at) });
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const openSample = (): void => setIsSampling(true);
  return (
    <>
      <Heading title={row.name} isInPanel={isInPanel} />
      <p className="sentence">
        <State of={row.status} /> {t.inbound.means[row.status]}
      </p>
      {may('developer') && <Actions of={row} onSample={openSample} onChange={() => setIsChanging(true)} />}
      {may('developer') && <NoSample of={row} />}
      <div className="field">
        <span className="label">{t.inbound.url}</span>
        <Code text={row.url} label={t.inbound.url} />
        <div className="hint">{t.inbound.urlHint(senderOf(row))}</div>
      </div>
      <ProviderSteps of={row} />
      <dl className="facts">
        <dt>{t.inbound.sender}</dt>
        <dd>{senderOf(row)}</dd>
        <dt>{t.fields.channel}</dt>
        <dd>
          <HereLink to={`/channels/${row.channelId}`}>
            <ThingName kind="channel" id={row.channelId} />
          </HereLink>
        </dd>
        <dt>{t.fields.id}</dt>
        <dd className="mono">{row.id}</dd>
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
        {(['signature', 'eventId', 'eventType', 'payload'] as const).map((part) => {
          const value = row[part];
          return (
            value !== undefined && [
              <dt key={`${part} name`}>{t.inbound.parts[part]}</dt>,
              <dd key={part} className="mono">
                {JSON.stringify(value)}
              </dd>,
            ]
          );
        })}
      </dl>
      {may('developer') && <Secrets of={row} />}
      <InboundRequests of={row} onSample={openSample} isInPanel={isInPanel} />
      {isSampling && <SampleDialog of={row} onClose={() => setIsSampling(false)} />}
      {isChanging && <WebhookSettingsDialog of={row} onClose={() => setIsChanging(false)} />}
    </>
  );
}

/** Steps at a service that is known. */
function ProviderSteps({ of: row }: { of: Webhook }) {
  const t = useTexts();
  if (row.provider === undefined) return null;
  const { place, secret, isShown } = PROVIDER_STEPS[row.provider];
  return (
    <section className="section">
      <h2>{t.inbound.stepsTitle(senderOf(row))}</h2>
      <ol className="numbered">
        <li>
          {t.inbound.place} <strong>{place}</strong>.
        </li>
        <li>{t.inbound.steps.address}</li>
        <li>{isShown ? t.inbound.steps.shown(secret) : t.inbound.steps.chosen(secret)}</li>
      </ol>
    </section>
  );
}

type Given = { of: Webhook; onSample: () => void; onChange: () => void };

function Actions({ of: row, onSample, onChange }: Given) {
  const t = useTexts();
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const become = async (status: 'active' | 'disabled'): Promise<void> => {
    await api.webhooks.update(row.id, { status }, at);
    await refresh();
  };
  return (
    <div className="buttons">
      <SampleButton of={row} onOpen={onSample} />
      <button type="button" className="button" onClick={onChange}>
        {t.inbound.change}
      </button>
      <HereLink to="/messages" search={{ channel: row.channelId }} className="button">
        {t.nav.names.messages}
      </HereLink>
      {row.status === 'active' ? (
        <AskButton
          label={t.inbound.disable}
          title={t.inbound.disableTitle(row.name)}
          why={t.inbound.disableWhy}
          name={row.name}
          what={() => become('disabled')}
        />
      ) : (
        <button type="button" className="button" onClick={() => void act(() => become('active'))}>
          {t.inbound.enable}
        </button>
      )}
      <DeleteButton
        title={t.inbound.deleteTitle(row.name)}
        why={t.inbound.deleteWhy}
        typed={environment === 'live' ? row.name : undefined}
        what={() => api.webhooks.delete(row.id, at)}
        to="/inbound"
      />
    </div>
  );
}

/** The secrets that the sender and this address have in common: two for as long as a rotation overlaps. */
function Secrets({ of: { id, name } }: { of: Webhook }) {
  const t = useTexts();
  const { at } = useHere();
  const [secret, setSecret] = useState('');
  const rotate = async (): Promise<WebhookSecrets['secrets']> => {
    const given = secret.trim() === '' ? undefined : { secret: secret.trim() };
    const { secrets } = await api.webhooks.rotateSecret(id, given, at);
    setSecret('');
    return secrets;
  };
  return (
    <section className="section">
      <h2>{t.inbound.secret}</h2>
      <SecretBox
        name={name}
        label={t.inbound.secret}
        hidden="••••••••••••"
        show={async () => (await api.webhooks.getSecrets(id, at)).secrets}
        rotate={rotate}
      >
        <p>{t.inbound.rotateWhy}</p>
        <TextField label={t.inbound.secret} value={secret} onChange={setSecret} hint={t.inbound.secretHint} isCode />
      </SecretBox>
    </section>
  );
}
