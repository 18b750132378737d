import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, type Attempt } from '../api/client.ts';
import { temporalUrl } from '../lib/addresses.ts';
import { useHere } from '../lib/session.ts';
import { bodyOf } from '../lib/signature.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { Body, Code } from './code.tsx';
import { HereLink } from './link.tsx';
import { State } from './state.tsx';
import { TabList } from './tab-list.tsx';
import { TemporalLink } from './temporal-link.tsx';
import { Time } from './time.tsx';
import { Waiting } from './waiting.tsx';

const TABS = ['answer', 'request', 'timing'] as const;
type Tab = (typeof TABS)[number];

type Given = {
  attempt: Attempt;
  isOpen: boolean;
  /** The try before it, for the wait between both. */
  before: Attempt | undefined;
  messageId: string;
  /** The longest try that is shown: the bars of all are to its scale. */
  longestMs: number;
};

/** One try: its outcome and its length in a line, and behind it the answer, the request and the times. */
export function AttemptBox({ attempt, isOpen, before, messageId, longestMs }: Given) {
  const t = useTexts();
  const id = useId();
  const [tab, setTab] = useState<Tab>('answer');
  const { response, errorClass } = attempt;
  return (
    <li>
      <details className="box attempt" open={isOpen}>
        <summary>
          <strong>{t.deliveries.number(attempt.number)}</strong> <State of={attempt.outcome} />{' '}
          <span>{response?.status ?? (errorClass === undefined ? '' : t.errorClasses[errorClass])}</span>{' '}
          <span className="muted">
            {durationText(attempt.durationMs, t.units)} · <Time at={attempt.startedAt} />
          </span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" className="length" aria-hidden="true">
            <rect width={Math.max(1, (attempt.durationMs / Math.max(1, longestMs)) * 100)} height={4} />
          </svg>
        </summary>
        <div className="stack">
          {attempt.errorMessage !== undefined && <p>{attempt.errorMessage}</p>}
          <TabList
            tabs={TABS}
            names={t.deliveries.tabs}
            current={tab}
            onChoose={setTab}
            label={t.deliveries.number(attempt.number)}
            id={id}
          />
          <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`} className="stack">
            {tab === 'answer' && <Answer of={attempt} />}
            {tab === 'request' && <Request of={attempt} messageId={messageId} />}
            {tab === 'timing' && <Timing of={attempt} before={before} />}
          </div>
        </div>
      </details>
    </li>
  );
}

function Answer({ of: { response } }: { of: Attempt }) {
  const t = useTexts();
  if (response === undefined) return <p className="muted">{t.deliveries.noAnswer}</p>;
  return (
    <>
      <Body text={response.body === '' ? t.deliveries.noBody : response.body} label={t.deliveries.tabs.answer} />
      <h3>{t.deliveries.headers}</h3>
      <Headers of={response.headers} />
    </>
  );
}

function Request({ of: { request }, messageId }: { of: Attempt; messageId: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const message = useQuery({
    queryKey: [path, 'message', messageId],
    queryFn: () => api.messages.get(messageId, at).withAnswer(),
    enabled: request !== undefined,
  });
  if (request === undefined) return <p className="muted">{t.deliveries.noRequest}</p>;
  if (message.isPending) return <Waiting />;
  // Every try sends the same body. An erased message has none, and one that is gone answers 404.
  const body = message.data?.data.erasedAt === undefined && message.data !== undefined && bodyOf(message.data.text);
  const head = [`${request.method} ${request.url}`, ...Object.entries(request.headers).map((each) => each.join(': '))];
  return (
    <>
      <Code text={[...head, ...(body === false ? [] : ['', body])].join('\n')} label={t.deliveries.tabs.request} />
      <p className="muted">
        {t.deliveries.masked} {body === false && t.deliveries.bodyGone}{' '}
        <HereLink to={`/messages/${messageId}`}>{t.fields.message}</HereLink>
      </p>
    </>
  );
}

function Timing({
  of: { response, startedAt, durationMs, carrier },
  before,
}: {
  of: Attempt;
  before: Attempt | undefined;
}) {
  const t = useTexts();
  const waitedMs = before && Date.parse(startedAt) - Date.parse(before.startedAt) - before.durationMs;
  return (
    <dl className="facts">
      <dt>{t.deliveries.times.began}</dt>
      <dd>
        <Time at={startedAt} />
      </dd>
      {waitedMs !== undefined && waitedMs >= 0 && (
        <>
          <dt>{t.deliveries.times.waited}</dt>
          <dd>{durationText(waitedMs, t.units)}</dd>
        </>
      )}
      {response !== undefined && (
        <>
          <dt>{t.deliveries.times.head}</dt>
          <dd>{durationText(response.latencyMs, t.units)}</dd>
          <dt>{t.deliveries.times.rest}</dt>
          <dd>{durationText(Math.max(0, durationMs - response.latencyMs), t.units)}</dd>
        </>
      )}
      <dt>{t.deliveries.times.whole}</dt>
      <dd>{durationText(durationMs, t.units)}</dd>
      <dt>{t.deliveries.carrier}</dt>
      <dd className="mono">
        <TemporalLink to={temporalUrl(carrier)} text={carrier} />
      </dd>
    </dl>
  );
}

const Headers = ({ of }: { of: Readonly<Record<string, string>> }) => (
  <dl className="facts mono">
    {Object.entries(of).map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
  </dl>
);
