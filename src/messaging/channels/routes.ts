import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { channelAnswer, createChannelBody, listChannelsQuery, updateChannelBody } from './schema.ts';
import type { Channels } from './service.ts';

const route = routesOf<{ channels: Channels }>();
const params = { channelId: idOf('channel') };

export const channelRoutes = [
  route({
    method: 'POST',
    path: '/v1/channels',
    access: { scope: 'channels:write' },
    consumes: 'json',
    body: createChannelBody,
    answers: { 201: channelAnswer },
    handle: ({ caller, body }, { channels }) => channels.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/channels',
    access: { scope: 'channels:read' },
    query: listChannelsQuery,
    answers: { 200: pageOf(channelAnswer) },
    handle: ({ caller, query }, { channels }) => channels.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/channels/:channelId',
    params,
    access: { scope: 'channels:read' },
    answers: { 200: channelAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { channelId } }, { channels }) => channels.get(caller, channelId),
  }),
  route({
    method: 'PATCH',
    path: '/v1/channels/:channelId',
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
    params,
    access: { scope: 'channels:write' },
    answers: { 204: noBody },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { channelId } }, { channels }) => channels.delete(caller, channelId),
  }),
];
