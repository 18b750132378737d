import { SubscriptionList as List } from './subscriptions/subscription-list.tsx';

/** For the page of a channel, until its second version has the list itself. */
export const SubscriptionList = ({ channelId }: { channelId: string; isOfChannel: true }) => (
  <List filter={{ channelId }} ofChannel />
);
