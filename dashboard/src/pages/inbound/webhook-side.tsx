import { useQuery } from '@tanstack/react-query';
import { api, type Webhook } from '../../api/client.ts';
import { PROVIDER_STEPS } from '../../lib/provider-steps.ts';
import { useHere } from '../../lib/session.ts';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Facts, Fold, Section } from '../../ui/layout.tsx';
import type { ProviderChoice } from './provider-grid.tsx';
import { SetupSteps } from './setup-steps.tsx';
import { WebhookSecret } from './signing-secret.tsx';
import { useSample } from './use-sample.ts';
import { providerName } from './words.ts';

const EVERY_MS = 5_000;

/** Whether a request of the provider was accepted: undefined until it is known. */
function useIsSetUp(id: string): boolean | undefined {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'inbound accepted', id],
    queryFn: async () => {
      const { data } = await api.webhooks.listRequests(id, { outcome: 'received', limit: 20 }, at).page();
      return data.some(({ isSample }) => !isSample);
    },
    refetchInterval: ({ state }) => (state.data === true ? false : EVERY_MS),
    meta: { failure: 'own' },
  });
  return found.isError ? false : found.data;
}

/** The provider's setup steps, the secret, and other details: next to the requests, or as a tab. */
export function WebhookSide({ of: row }: { of: Webhook }) {
  const { may } = useHere();
  const isSetUp = useIsSetUp(row.id);
  const sample = useSample(row.id, { isWanted: may('developer') });
  const provider = providerName(row);
  const isShownThere = row.provider !== undefined && PROVIDER_STEPS[row.provider].isShown;
  const steps = <SetupSteps sender={row.provider ?? (row.scheme as ProviderChoice)} />;
  return (
    <div className="flex flex-col gap-6">
      {isSetUp !== undefined &&
        (isSetUp ? (
          <Fold title={`Setup steps for ${provider}`}>{steps}</Fold>
        ) : (
          <Section title={`Set up ${provider}`}>{steps}</Section>
        ))}
      {may('developer') && (
        <Section title="Signing secret">
          <WebhookSecret of={row} isShownThere={isShownThere} />
        </Section>
      )}
      {sample.data?.isSignable === false && (
        <p className="text-12 text-text-2">
          Test requests aren't available: the secret of {provider} isn't set, or only {provider} has its private key.
        </p>
      )}
      <Section title="Details">
        <Facts
          facts={[
            ['Provider', provider],
            [
              'Channel',
              <HereLink key="channel" to={`/channels/${row.channelId}`} className="text-accent hover:underline">
                <Name kind="channel" id={row.channelId} />
              </HereLink>,
            ],
            ['Created', <Ago key="created" at={row.createdAt} />],
            ['ID', <CopyId key="id" id={row.id} isNamed />],
          ]}
        />
      </Section>
      <p className="text-12 text-text-3">
        Requests over 1 MiB get 413 before their signature is checked, and aren't listed.
      </p>
    </div>
  );
}
