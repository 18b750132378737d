import { createSns, isOfSns, topicProblem } from '../schemes/sns.ts';
import { at, type Provider } from './provider.ts';

export const sns: Provider = {
  name: 'sns',
  title: 'Amazon SNS',
  scheme: 'sns',
  check: createSns(),
  secretProblem: topicProblem,
  eventId: at('/MessageId'),
  eventType: at('/Type'),
  handshake(incoming) {
    const { Type: type, SubscribeURL: visit } = incoming.content().value;
    return type === 'SubscriptionConfirmation' && isOfSns(visit) ? { answer: { received: true }, visit } : undefined;
  },
};
