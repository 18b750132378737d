import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { channelAnswer, createChannelBody, listChannelsQuery, updateChannelBody } from './schema.ts';
import type { Channels } from './service.ts';

const route = routesOf<{ channels: Channels }>({ channels: 'Channels, to which messages are published.' });
const params = { channelId: idOf('channel') };

export const channelRoutes = [
  route({
    method: 'POST',
    path: '/v1/channels',
    operationId: 'channels.create',
    summary: 'Create a channel',
    description:
      'Messages are published to channels. Omitted fields default to the settings of the app. Each ' +
      'environment also has a channel `posthorn.system`, to which only the service publishes.',
    example: { body: { name: 'orders', description: 'Orders of the shop', retentionDays: 90 } },
    access: { scope: 'channels:write' },
    consumes: 'json',
    body: createChannelBody,
    answers: { 201: channelAnswer },
    handle: ({ caller, body }, { channels }) => channels.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/channels',
    operationId: 'channels.list',
    summary: 'List channels',
    description:
      'Channels of the environment, newest first. With `name`, each page scans 5,000 rows; if `hasMore` ' +
      'is true, continue with the cursor even if the page is not full.',
    example: { query: { status: 'active' } },
    access: { scope: 'channels:read' },
    query: listChannelsQuery,
    answers: { 200: pageOf(channelAnswer) },
    handle: ({ caller, query }, { channels }) => channels.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/channels/:channelId',
    operationId: 'channels.get',
    summary: 'Get a channel',
    description: 'Shows a channel.',
    params,
    access: { scope: 'channels:read' },
    answers: { 200: channelAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { channelId } }, { channels }) => channels.get(caller, channelId),
  }),
  route({
    method: 'PATCH',
    path: '/v1/channels/:channelId',
    operationId: 'channels.update',
    summary: 'Change a channel',
    description:
      'Changes the fields that are given. An archived channel accepts no change except a new `status`. A ' +
      'changed schema applies to publishes that start after the response, in every process.',
    example: { body: { name: 'orders', retentionDays: 30 } },
    params,
    access: { scope: 'channels:write' },
    consumes: 'json',
    body: updateChannelBody,
    answers: { 200: channelAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { channelId }, body }, { channels }) => channels.update(caller, channelId, body),
  }),
  route({
    method: 'DELETE',
    path: '/v1/channels/:channelId',
    operationId: 'channels.delete',
    summary: 'Delete a channel',
    description: 'Deletes the channel and its subscriptions. Its messages remain readable until their retention ends.',
    params,
    access: { scope: 'channels:write' },
    answers: { 204: noBody },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { channelId } }, { channels }) => channels.delete(caller, channelId),
  }),
];
