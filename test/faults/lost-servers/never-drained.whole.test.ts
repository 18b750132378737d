import { describe } from '@jest/globals';
import { drillLostServers } from './drill.ts';

describe('with the burst threshold off', () => drillLostServers('off'));
