import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { memberText, prettyText } from '../../lib/raw-json.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { ownChannelsOf, targetChannelOf } from '../../lib/system-channel.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { useChannels } from '../../parts/use-names.ts';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { MessagesPage } from './messages.tsx';
import { PublishForm } from './publish-form.tsx';
import { usePageTitle } from '../../shell/use-page-title.ts';

const TITLE = 'Publish message';
/** Search parameters of the form. */
const OF_FORM = ['copy'] as const;

/** Publishes a message manually, or an edited copy of one, in a drawer over the list. */
export function PublishPage() {
  const { at, path, environment, may } = useHere();
  const [search] = useAddress();
  const go = useGo();
  const copy = search['copy'] ?? '';
  const original = useQuery({
    queryKey: [path, 'message', copy],
    queryFn: () => api.messages.get(copy, at).withAnswer(),
    enabled: copy !== '',
  });
  const channels = useChannels();
  usePageTitle(TITLE);
  const close = (): void => {
    if (copy !== '') go(`/messages/${copy}`);
    else go('/messages', search['channel'] === undefined ? {} : { channel: search['channel'] });
  };
  const isRead = !channels.isPending && !channels.isError && (copy === '' || original.data !== undefined);
  const frame = { title: TITLE, environment, size: 'wide', onClose: close } as const;
  const payload = original.data === undefined ? undefined : memberText(original.data.text, 'payload');
  return (
    <>
      <MessagesPage ofForm={OF_FORM} />
      {!may('developer') ? (
        <Drawer {...frame}>
          <Empty title="You don't have access">
            <p>You need the Developer role to do this. Ask an admin for access.</p>
          </Empty>
        </Drawer>
      ) : !isRead ? (
        <Drawer {...frame}>
          <NotRead of={channels.isError ? channels : original} />
        </Drawer>
      ) : ownChannelsOf(channels.all).length === 0 ? (
        <Drawer {...frame}>
          <Empty
            title="No channels yet"
            actions={
              <Button look="primary" render={<HereLink to="/channels/new" />}>
                Create channel
              </Button>
            }
          >
            <p>Messages are published to a channel.</p>
          </Empty>
        </Drawer>
      ) : (
        <PublishForm
          key={copy}
          first={{
            channelId: targetChannelOf(channels.all, original.data?.data.channelId ?? search['channel']),
            eventType: original.data?.data.eventType ?? '',
            payload: payload === undefined ? '{\n  "number": 1\n}' : prettyText(payload),
            metadata: original.data === undefined ? '' : (memberText(original.data.text, 'metadata') ?? ''),
            deliverAt: '',
            publisherId: '',
          }}
          onClose={close}
        />
      )}
    </>
  );
}
