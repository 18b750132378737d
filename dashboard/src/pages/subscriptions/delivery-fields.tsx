import { policyAmong, type POLICY_NUMBERS } from '../../lib/retry-policy.ts';
import { MomentField } from '../../parts/moment-field.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { Switch, TextArea, TextField } from '../../ui/field.tsx';
import { MillisecondsField } from '../../ui/milliseconds-field.tsx';
import { PolicyDrawing } from './policy-drawing.tsx';
import { FIELD_NAMES, type FieldsGiven } from './field-names.ts';

const PAIRS = 'grid grid-cols-2 items-start gap-4';

/** When failed attempts are retried, with a drawing of it. */
export function PolicyFields({ values, write, error, note }: FieldsGiven & { note?: string | undefined }) {
  const field = (name: (typeof POLICY_NUMBERS)[number]) => ({
    label: FIELD_NAMES[name],
    value: String(values[name]),
    onChange: (text: string) => write({ [name]: Number(text) }),
    error: problemOf(error, `retryPolicy.${name}`),
  });
  return (
    <div className="flex flex-col gap-4 pb-4">
      <div className={PAIRS}>
        <TextField {...field('maxRetries')} type="number" inputMode="numeric" min={0} />
        <TextField {...field('backoffMultiplier')} type="number" inputMode="decimal" min={1} step="any" />
        <MillisecondsField {...field('initialDelay')} />
        <MillisecondsField {...field('maxDelay')} />
      </div>
      <PolicyDrawing policy={policyAmong(values)} {...(note !== undefined && { note })} />
    </div>
  );
}

/** Limits for requests to the endpoint. Placeholders say what an empty field means. */
export function DeliveryFields({ values, write, error, isNew }: FieldsGiven & { isNew: boolean }) {
  const field = (name: 'timeoutMs' | 'maxRetryAfter' | 'rateLimit' | 'maxConcurrency' | 'startFrom') => ({
    label: FIELD_NAMES[name],
    value: values[name],
    onChange: (text: string) => write({ [name]: text }),
    error: problemOf(error, name),
  });
  return (
    <div className="flex flex-col gap-4 pb-4">
      <div className={PAIRS}>
        <MillisecondsField
          {...field('timeoutMs')}
          placeholder="App default"
          hint="Of one attempt, with the whole response"
        />
        <MillisecondsField
          {...field('maxRetryAfter')}
          placeholder="24 hours"
          hint="Longest wait that a 429 or 503 may ask for"
        />
        <TextField
          {...field('rateLimit')}
          type="number"
          inputMode="numeric"
          min={1}
          placeholder="No limit"
          after="per second"
          hint="Attempts, retries included"
        />
        <TextField
          {...field('maxConcurrency')}
          type="number"
          inputMode="numeric"
          min={1}
          placeholder="Automatic"
          after="at a time"
          hint="Requests in flight"
        />
      </div>
      <Switch
        label={FIELD_NAMES.circuitBreaker}
        hint="Stops requests for a while when all attempts fail, except for a probe every 30 s"
        isOn={values.circuitBreaker}
        onChange={(circuitBreaker) => write({ circuitBreaker })}
      />
      {isNew && (
        <MomentField
          {...field('startFrom')}
          hint="Replays messages that the channel has stored since then. Leave empty for new messages only."
        />
      )}
    </div>
  );
}

/** What every request contains, how it is signed, and the owner of the subscription. */
export function HeaderFields({ values, write, error, isNew }: FieldsGiven & { isNew: boolean }) {
  const field = (name: 'headers' | 'secret' | 'owner') => ({
    label: FIELD_NAMES[name],
    value: values[name],
    onChange: (text: string) => write({ [name]: text }),
    error: problemOf(error, name),
    isMono: true,
  });
  return (
    <div className="flex flex-col gap-4 pb-4">
      <TextArea
        {...field('headers')}
        rows={3}
        placeholder="X-Shop: Berlin"
        hint="One per line. Sent with every request."
      />
      {isNew && (
        <TextField
          {...field('secret')}
          type="password"
          autoComplete="new-password"
          placeholder="Generated"
          hint="For an endpoint that has one already: whsec_ and 24 to 64 bytes in base64"
        />
      )}
      <TextField
        {...field('owner')}
        placeholder="None"
        hint="Your own ID of the customer, to filter by. Messages aren't routed by it."
      />
    </div>
  );
}
