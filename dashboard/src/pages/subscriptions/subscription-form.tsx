import { Hash } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { durationText } from '../../lib/format.ts';
import { policyText } from '../../lib/policy-text.ts';
import { policyAmong } from '../../lib/retry-policy.ts';
import { FoundSelectField } from '../../parts/found-select.tsx';
import { hostOf } from '../../parts/names.tsx';
import { isAtField, problemOf } from '../../parts/problem-of.ts';
import { useChannels } from '../../parts/use-names.ts';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { TextField } from '../../ui/field.tsx';
import { Fold } from '../../ui/layout.tsx';
import { TokenField } from '../../ui/token-field.tsx';
import { FIELD_NAMES, type FieldsGiven } from './field-names.ts';
import { DeliveryFields, HeaderFields, PolicyFields } from './delivery-fields.tsx';
import { FilterMatches } from './filter-matches.tsx';
import { OwnSample, type SampleDraft } from './own-sample.tsx';
import { useFilterTest } from './use-filter-test.ts';

/** Suggested event types. */
const MOST_TYPES = 6;

type Given = FieldsGiven & {
  channelId: string;
  /** Selects the channel, which cannot be changed later. */
  onChannel?: ((channelId: string) => void) | undefined;
  hasNoChannel?: boolean;
  /** Milliseconds that an endpoint has if no timeout is entered. */
  usualTimeoutMs?: number | undefined;
  /** Shown after the hint of the endpoint. */
  endpointHint?: ReactNode;
  /** The policy is the default of the app, unchanged. */
  isUsualPolicy?: boolean;
  /** For an existing subscription all groups are open at once. */
  isNew: boolean;
};

/** All fields of a subscription in groups: where it sends, what, and how. Less common ones are collapsed. */
export function SubscriptionFieldGroups(given: Given) {
  const { values, write, error, channelId, onChannel, usualTimeoutMs, isNew } = given;
  const channels = useChannels();
  const timeout = Number(values.timeoutMs) || usualTimeoutMs;
  const host = hostOf(values.webhookUrl);
  return (
    <div className="flex flex-col gap-5">
      <Group>
        {onChannel !== undefined && (
          <FoundSelectField
            kind="channel"
            label="Channel"
            icon={Hash}
            known={channels.choices}
            isMore={channels.isFull}
            value={channelId}
            onChange={onChannel}
            placeholder="Choose a channel"
            error={given.hasNoChannel === true && channelId === '' ? 'Choose a channel' : problemOf(error, 'channelId')}
          />
        )}
        <TextField
          label={FIELD_NAMES.webhookUrl}
          type="url"
          inputMode="url"
          isMono
          value={values.webhookUrl}
          onChange={(webhookUrl) => write({ webhookUrl })}
          placeholder="https://"
          hint={
            <>
              Must return 2xx within {timeout === undefined ? 'the timeout' : durationText(timeout)}.{' '}
              {given.endpointHint}
            </>
          }
          error={problemOf(error, 'webhookUrl')}
          isRequired
        />
        <TextField
          label={FIELD_NAMES.name}
          value={values.name}
          onChange={(name) => write({ name })}
          placeholder={isNew && host !== '' && host !== values.webhookUrl ? host : isNew ? 'Host of the endpoint' : ''}
          error={problemOf(error, 'name')}
        />
      </Group>
      <MessageFields {...given} />
      <Folds {...given} />
    </div>
  );
}

/** Which messages it receives, tested on those of the channel. */
function MessageFields({ values, write, error, channelId }: Given) {
  const test = useFilterTest(channelId, values);
  const [sample, setSample] = useState<SampleDraft>({});
  const known = test.types.filter((type) => !values.eventTypes.includes(type)).slice(0, MOST_TYPES);
  const isNarrowed = values.eventTypes.length > 0 || values.filter.trim() !== '';
  return (
    <Group>
      <TokenField
        label={FIELD_NAMES.eventTypes}
        values={values.eventTypes}
        onChange={(eventTypes) => write({ eventTypes })}
        placeholder="All event types"
        hint={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            order.* matches every type that starts with order.
            {known.map((type) => (
              <button
                key={type}
                type="button"
                onClick={() => write({ eventTypes: [...values.eventTypes, type] })}
                className="mono min-h-6 rounded-4 bg-pending-soft px-1.5 text-text-2 hover:bg-pressed hover:text-text"
              >
                <span aria-hidden="true">+ </span>
                <span className="sr-only">Add </span>
                {type}
              </button>
            ))}
          </span>
        }
        error={problemOf(error, 'eventTypes')}
      />
      <CodeEditor
        label={FIELD_NAMES.filter}
        language="cel"
        value={values.filter}
        onChange={(filter) => write({ filter })}
        minLines={1}
        maxLines={8}
        placeholder='payload.total > 100 && payload.currency == "EUR"'
        hint={`CEL expression over ${test.names.length === 0 ? 'payload, metadata and eventType' : listed(test.names.slice(0, 3))}`}
        isHintKept
        error={problemOf(error, 'filter') ?? test.error}
        problems={test.problems}
        completions={() =>
          [...test.names.map((name) => name.replace('.*', '[0]')), 'payload', 'metadata', 'eventType'].map((label) => ({
            label,
            detail: 'message',
          }))
        }
      />
      {channelId !== '' && isNarrowed && (
        <div className="flex flex-col gap-2">
          <FilterMatches of={test} filter={values.filter} />
          <OwnSample
            channelId={channelId}
            eventTypes={values.eventTypes}
            filter={values.filter}
            test={test}
            draft={sample}
            onDraft={setSample}
          />
        </div>
      )}
    </Group>
  );
}

/** Returns `payload.id, payload.total and others`. */
const listed = (names: readonly string[]): string =>
  `${names.map((name) => name.replace('.*', '[0]')).join(', ')} and others`;

const POLICY = ['retryPolicy'] as const;
const DELIVERY = ['timeoutMs', 'maxRetryAfter', 'rateLimit', 'maxConcurrency', 'circuitBreaker', 'startFrom'] as const;
const HEADERS = ['headers', 'secret', 'owner'] as const;

function Folds(given: Given) {
  const { values, error, isNew, isUsualPolicy = false, usualTimeoutMs } = given;
  const { timeoutMs, rateLimit, circuitBreaker, headers, secret, owner } = values;
  const timeout = timeoutMs === '' ? usualTimeoutMs : Number(timeoutMs);
  const delivery = [
    timeout !== undefined && `timeout ${durationText(timeout)}`,
    rateLimit === '' ? 'no rate limit' : `${rateLimit} per second`,
    `circuit breaker ${circuitBreaker ? 'on' : 'off'}`,
  ].filter((each) => each !== false);
  const count = headers.split('\n').filter((line) => line.trim() !== '').length;
  const more = [
    count > 0 && `${count} ${count === 1 ? 'header' : 'headers'}`,
    isNew && (secret.trim() === '' ? 'new signing secret' : 'own signing secret'),
    owner.trim() !== '' && `customer ${owner.trim()}`,
  ].filter((each) => each !== false);
  // A collapsed group with a rejected field opens.
  const fold = (names: readonly string[]) => {
    const isRejected = isAtField(error, names);
    return { key: `${names[0]} ${isRejected}`, isOpen: isRejected };
  };
  const { key: policyKey, ...policy } = fold(POLICY);
  const { key: deliveryKey, ...settings } = fold(DELIVERY);
  const { key: headersKey, ...headerFold } = fold(HEADERS);
  return (
    <div className="flex flex-col gap-1 border-t border-line pt-3">
      <Fold
        key={policyKey}
        title="Retry policy"
        note={`${isUsualPolicy ? 'App default: ' : ''}${policyText(policyAmong(values))}`}
        {...policy}
      >
        <PolicyFields {...given} note={isUsualPolicy ? 'Default of this app.' : undefined} />
      </Fold>
      <Fold key={deliveryKey} title="Delivery settings" note={capitalised(delivery.join(', '))} {...settings}>
        <DeliveryFields {...given} />
      </Fold>
      <Fold
        key={headersKey}
        title={isNew ? 'Headers, secret and customer' : 'Headers and customer'}
        note={more.length === 0 ? 'None' : capitalised(more.join(', '))}
        {...headerFold}
      >
        <HeaderFields {...given} />
      </Fold>
    </div>
  );
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const Group = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-col gap-4 border-line not-first:border-t not-first:pt-5">{children}</div>
);
