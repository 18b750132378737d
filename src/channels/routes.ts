import { type Route, route } from '../http/route.ts';
import { createChannelBody, listChannelsQuery, updateChannelBody } from './schema.ts';

/** The router always sets it on these paths; an empty text would be NOT_FOUND. */
const channelId = (request: { params: Record<string, string> }): string => request.params['channelId'] ?? '';

export const channelRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/channels',
    scope: 'channels:write',
    body: createChannelBody,
    status: 201,
    handle: ({ caller, body }, { channels }) => channels.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/channels',
    scope: 'channels:read',
    query: listChannelsQuery,
    status: 200,
    handle: ({ caller, query }, { channels }) => channels.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/channels/:channelId',
    scope: 'channels:read',
    status: 200,
    handle: (request, { channels }) => channels.get(request.caller, channelId(request)),
  }),
  route({
    method: 'PATCH',
    path: '/v1/channels/:channelId',
    scope: 'channels:write',
    body: updateChannelBody,
    status: 200,
    handle: (request, { channels }) => channels.update(request.caller, channelId(request), request.body),
  }),
  route({
    method: 'DELETE',
    path: '/v1/channels/:channelId',
    scope: 'channels:write',
    status: 204,
    handle: (request, { channels }) => channels.delete(request.caller, channelId(request)),
  }),
];
