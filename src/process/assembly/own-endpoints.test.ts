import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../platform/config/config.ts';
import { ownEndpoints } from './own-endpoints.ts';

const api = (host: string, port: number, protocol: string, path = '') => ({
  host,
  port,
  isShared: [80, 443].includes(port),
  api: { protocol, path },
});

describe('own endpoints come from the settings', () => {
  test.each([
    [{}, [api('localhost', 3000, 'http:')]],
    [{ PORT: '3005' }, [api('localhost', 3005, 'http:')]],
    [{ PUBLIC_BASE_URL: 'https://Posthorn.example.com/' }, [api('posthorn.example.com', 443, 'https:')]],
    [{ PUBLIC_BASE_URL: 'https://example.com/hooks/' }, [api('example.com', 443, 'https:', '/hooks')]],
    [{ PUBLIC_BASE_URL: 'http://posthorn.example.com' }, [api('posthorn.example.com', 80, 'http:')]],
    [{ PUBLIC_BASE_URL: 'https://posthorn.example.com:8443' }, [api('posthorn.example.com', 8443, 'https:')]],
  ])('%j: the API', (variables, expected) => {
    expect(ownEndpoints(readConfig(variables))).toEqual(expected);
  });

  const others = (variables: Record<string, string>) => ownEndpoints(readConfig(variables)).slice(1);

  test.each([
    ['postgresql://u:p@db.example.com:6543/posthorn', { host: 'db.example.com', port: 6543 }],
    ['postgresql://u:p@db.example.com/posthorn', { host: 'db.example.com', port: 5432 }],
    ['postgres://u:p@[::1]:5433/posthorn', { host: '::1', port: 5433 }],
    ['postgresql://u:p%40@10.0.0.1/posthorn?sslmode=disable', { host: '10.0.0.1', port: 5432 }],
    ['postgresql://u@localhost/posthorn?host=/var/run/postgresql&port=5433', { host: 'localhost', port: 5433 }],
  ])('%s: PostgreSQL', (DATABASE_URL, expected) => {
    expect(others({ DATABASE_URL })).toMatchObject([expected]);
  });

  test.each([
    ['temporal:7233', 'temporal', [7233, 8233]],
    ['10.0.0.2:17233', '10.0.0.2', [17_233, 8233, 18_233]],
    ['[::1]:7233', '[::1]', [7233, 8233]],
  ])('%s: Temporal, and where its development server has its UI', (TEMPORAL_ADDRESS, host, ports) => {
    expect(others({ TEMPORAL_ADDRESS })).toEqual(ports.map((port) => ({ host, port })));
  });

  test.each([
    ['redis://redis', { host: 'redis', port: 6379 }],
    ['rediss://u:p@cache.example.com:6380/1', { host: 'cache.example.com', port: 6380 }],
  ])('%s: Redis', (REDIS_URL, expected) => {
    expect(others({ REDIS_URL })).toEqual([expected]);
  });
});
