import type { ReactNode } from 'react';
import { PROVIDER_STEPS } from '../../lib/provider-steps.ts';
import { PROVIDERS, type ProviderName } from '../../lib/providers.ts';
import { isScheme, type ProviderChoice } from './provider-grid.tsx';
import type { SchemeChoice } from './words.ts';

const Step = ({ at, children }: { at: number; children: ReactNode }) => (
  <li className="flex gap-2.5">
    <span
      aria-hidden="true"
      className="mt-px grid size-5 shrink-0 place-items-center rounded-full bg-pressed text-11 font-bold text-text-2"
    >
      {at}
    </span>
    <span className="min-w-0 grow">{children}</span>
  </li>
);

const OWN: Readonly<Record<SchemeChoice, string>> = {
  standard: 'Sign each request by Standard Webhooks with the signing secret.',
  hmac: 'Sign each request with an HMAC of the signed content, and send it in the signature header.',
  token: 'Send the signing secret in the signature header.',
  body: 'Send a body with id, timestamp, payload and signature, signed with the signing secret.',
};

/** The setup steps at the sender. */
export function SetupSteps({ sender }: { sender: ProviderChoice }) {
  if (isScheme(sender))
    return (
      <ol className="flex flex-col gap-3">
        <Step at={1}>Send requests to the webhook URL.</Step>
        <Step at={2}>{OWN[sender]}</Step>
      </ol>
    );
  return <ProviderSteps provider={sender} />;
}

function ProviderSteps({ provider }: { provider: ProviderName }) {
  const { place, secret: name, isShown } = PROVIDER_STEPS[provider];
  return (
    <ol className="flex flex-col gap-3">
      <Step at={1}>
        In {PROVIDERS[provider]}, open <strong className="font-medium">{place}</strong>.
      </Step>
      <Step at={2}>Enter the webhook URL.</Step>
      <Step at={3}>
        {isShown ? (
          <>Copy “{name}” from there and save it here as the signing secret.</>
        ) : (
          <>Enter the signing secret as “{name}”.</>
        )}
      </Step>
    </ol>
  );
}
